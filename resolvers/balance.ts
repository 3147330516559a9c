// The query of the balance report.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Query, Resolver } from "type-graphql";
import { balanceReport, type ShownReport } from "../src/actions/run/balanceReport.js";
import type { Context } from "../src/context/context.js";
import { BalanceMode } from "../src/core/enums.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { BalanceReportView } from "../schema/balance.js";
import { withGuests } from "./withGuests.js";

/** The report with its guests' records. */
type Answer = Omit<ShownReport, "suggestions"> & { readonly suggestions: readonly { readonly guest: ReadRow }[] };

@Resolver()
export class BalanceQueries {
  @Query(() => BalanceReportView, {
    description: "Hot nodes, and moves that would cool them; nothing moves by itself. Needs `hosts.manage`.",
  })
  async balanceReport(
    @Arg("mode", () => BalanceMode, {
      nullable: true,
      defaultValue: BalanceMode.SMALLEST_FIRST,
      description: "How guests are chosen.",
    })
    mode: BalanceMode | null,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Answer> {
    const report = await balanceReport(context, mode ?? BalanceMode.SMALLEST_FIRST);
    const path = ["suggestions", "guest"];
    return { ...report, suggestions: await withGuests(context, info, { items: report.suggestions, path }) };
  }
}

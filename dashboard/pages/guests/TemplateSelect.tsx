// Chooses what is installed on a guest.
import { useMemo } from "react";
import { useQuery } from "urql";
import type { Findable } from "../../components/found.js";
import { FoundSelect, type ChoosingProperties } from "../../components/FoundSelect.js";
import { gibibytes } from "../../format.js";
import { FindCtTemplatesDocument, FindOsTemplatesDocument, type GuestType } from "../../generated/documents.js";
import { libraryChoice } from "./guestTemplates.js";
import { texts } from "../../texts/newGuest.js";

interface FoundTemplate {
  readonly value: string;
  readonly label: string;
}

/** Where templates are looked for. */
interface Place {
  /** Null: nowhere yet. */
  readonly hostId: number | null;
  /** Left out: on all nodes of the host. */
  readonly node?: string | null;
  /** Whether only what every host can use is meant. */
  readonly libraryOnly?: boolean;
}

const choiceOf = (template: FoundTemplate): FoundTemplate => template;

const ofMachines = ({ hostId, libraryOnly = false }: Place): Findable<FoundTemplate> => ({
  nothing: texts.noTemplate,
  choiceOf,
  useFound(search, pause) {
    const nowhere = hostId === null || libraryOnly;
    const variables = { hostId: hostId ?? 0, search };
    const [{ data, fetching }] = useQuery({ query: FindOsTemplatesDocument, variables, pause: pause || nowhere });
    const records = data?.osTemplates.items.map(({ ref, name, minDiskGb, furtherDiskGb }) => ({
      value: ref,
      label: furtherDiskGb
        ? texts.templateWithDisks(name, gibibytes(minDiskGb), gibibytes(furtherDiskGb))
        : texts.templateWithDisk(name, gibibytes(minDiskGb)),
    }));
    return { records: nowhere ? [] : records, total: data?.osTemplates.meta.total ?? 0, fetching };
  },
});

const ofContainers = ({ hostId, node = null, libraryOnly = false }: Place): Findable<FoundTemplate> => ({
  nothing: texts.noTemplate,
  choiceOf,
  useFound(search, pause) {
    const variables = { hostId: hostId ?? 0, node, search };
    const [{ data, fetching }] = useQuery({
      query: FindCtTemplatesDocument,
      variables,
      pause: pause || hostId === null,
    });
    const { items = [], meta } = data?.ctTemplates ?? {};
    const shown = libraryOnly ? items.filter(({ managed }) => managed) : items;
    const records = shown.map(({ id, managed, name, volid }) =>
      managed && id !== null ? libraryChoice(id, name) : { value: volid, label: name },
    );
    // The library comes first: where something else is on the page, all of it is.
    const total = shown.length < items.length ? shown.length : (meta?.total ?? 0);
    return { records: data === undefined ? undefined : records, total, fetching };
  },
});

interface Properties extends ChoosingProperties<FoundTemplate>, Place {
  readonly type: GuestType;
}

/** Its values are as {@link templateInput} takes them. */
export function TemplateSelect({ type, hostId, node = null, libraryOnly = false, ...properties }: Properties) {
  const kind = useMemo(() => {
    const place = { hostId, node, libraryOnly };
    return type === "QEMU" ? ofMachines(place) : ofContainers(place);
  }, [type, hostId, node, libraryOnly]);
  return (
    <FoundSelect
      key={`${type} ${hostId} ${node} ${libraryOnly}`}
      kind={kind}
      nameOf={(value) => value}
      {...properties}
    />
  );
}

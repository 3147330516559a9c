// Every address of the panel, typed; each page is loaded when it is first gone to.
import { createRoute, createRouter } from "@tanstack/react-router";
import { flag, oneOf, optional, pageParts, text, whole } from "./search.js";
import { lazyPage } from "./shell/lazyPage.js";
import { root, shell, signIn } from "./shell/routes.js";

const parent = () => shell;

const overview = createRoute({
  getParentRoute: parent,
  path: "/",
  component: lazyPage(() => import("./pages/service/Overview.js"), "Overview"),
});

const hosts = createRoute({
  getParentRoute: parent,
  path: "/hosts",
  validateSearch: optional((parts) => ({
    ...pageParts(parts),
    search: text(parts, "search"),
    state: oneOf(parts, "state", ["used", "unused"]),
  })),
  component: lazyPage(() => import("./pages/hosts/Hosts.js"), "Hosts"),
});

const host = createRoute({
  getParentRoute: parent,
  path: "/hosts/$hostId",
  component: lazyPage(() => import("./pages/hosts/Host.js"), "HostPage"),
});

const node = createRoute({
  getParentRoute: parent,
  path: "/hosts/$hostId/nodes/$node",
  validateSearch: optional((parts) => ({ minutes: whole(parts, "minutes"), page: whole(parts, "page") })),
  component: lazyPage(() => import("./pages/hosts/Node.js"), "NodePage"),
});

const guests = createRoute({
  getParentRoute: parent,
  path: "/guests",
  validateSearch: optional((parts) => ({
    ...pageParts(parts),
    search: text(parts, "search"),
    hostId: whole(parts, "hostId"),
    status: oneOf(parts, "status", ["RUNNING", "STOPPED", "PAUSED", "SUSPENDED", "UNKNOWN"]),
    type: oneOf(parts, "type", ["QEMU", "LXC"]),
    tag: text(parts, "tag"),
    sort: oneOf(parts, "sort", ["NAME", "VMID", "STATUS", "CPU", "MEMORY", "CREATED"]),
    descending: flag(parts, "descending"),
  })),
  component: lazyPage(() => import("./pages/guests/Guests.js"), "Guests"),
});

const newGuest = createRoute({
  getParentRoute: parent,
  path: "/guests/new",
  validateSearch: optional((parts) => ({ hostId: whole(parts, "hostId") })),
  component: lazyPage(() => import("./pages/guests/NewGuest.js"), "NewGuest"),
});

const guest = createRoute({
  getParentRoute: parent,
  path: "/guests/$hostId/$type/$vmid",
  component: lazyPage(() => import("./pages/guests/Guest.js"), "GuestPage"),
});

const jobs = createRoute({
  getParentRoute: parent,
  path: "/jobs",
  validateSearch: optional((parts) => ({
    ...pageParts(parts),
    status: oneOf(parts, "status", ["QUEUED", "RUNNING", "DONE", "FAILED"]),
    hostId: whole(parts, "hostId"),
    vmid: whole(parts, "vmid"),
  })),
  component: lazyPage(() => import("./pages/service/Jobs.js"), "Jobs"),
});

const job = createRoute({
  getParentRoute: parent,
  path: "/jobs/$id",
  component: lazyPage(() => import("./pages/service/Job.js"), "JobPage"),
});

const migrations = createRoute({
  getParentRoute: parent,
  path: "/migrations",
  validateSearch: optional((parts) => ({
    ...pageParts(parts),
    status: oneOf(parts, "status", ["QUEUED", "RUNNING", "DONE", "DONE_WITH_WARNINGS", "FAILED"]),
    hostId: whole(parts, "hostId"),
    node: text(parts, "node"),
  })),
  component: lazyPage(() => import("./pages/moves/Migrations.js"), "Migrations"),
});

const newMigration = createRoute({
  getParentRoute: parent,
  path: "/guests/$hostId/$type/$vmid/move",
  component: lazyPage(() => import("./pages/moves/NewMigration.js"), "NewMigration"),
});

const migration = createRoute({
  getParentRoute: parent,
  path: "/migrations/$id",
  component: lazyPage(() => import("./pages/moves/Migration.js"), "MigrationPage"),
});

const evacuations = createRoute({
  getParentRoute: parent,
  path: "/evacuations",
  validateSearch: pageParts,
  component: lazyPage(() => import("./pages/moves/Evacuations.js"), "Evacuations"),
});

const newEvacuation = createRoute({
  getParentRoute: parent,
  path: "/evacuations/new",
  validateSearch: optional((parts) => ({ hostId: whole(parts, "hostId"), node: text(parts, "node") })),
  component: lazyPage(() => import("./pages/moves/NewEvacuation.js"), "NewEvacuation"),
});

const evacuation = createRoute({
  getParentRoute: parent,
  path: "/evacuations/$id",
  component: lazyPage(() => import("./pages/moves/Evacuation.js"), "EvacuationPage"),
});

const balance = createRoute({
  getParentRoute: parent,
  path: "/balance",
  validateSearch: optional((parts) => ({
    mode: oneOf(parts, "mode", ["SMALLEST_FIRST", "FEWEST_MOVES", "LEAST_COPY"]),
  })),
  component: lazyPage(() => import("./pages/moves/Balance.js"), "Balance"),
});

const balanceRun = createRoute({
  getParentRoute: parent,
  path: "/balance/$id",
  component: lazyPage(() => import("./pages/moves/BalanceRun.js"), "BalanceRunPage"),
});

const safetyCopies = createRoute({
  getParentRoute: parent,
  path: "/safety-copies",
  validateSearch: pageParts,
  component: lazyPage(() => import("./pages/guests/SafetyCopies.js"), "SafetyCopies"),
});

const placement = createRoute({
  getParentRoute: parent,
  path: "/placement",
  validateSearch: optional((parts) => ({
    cores: whole(parts, "cores"),
    memoryMb: whole(parts, "memoryMb"),
    diskGb: whole(parts, "diskGb"),
    hostId: whole(parts, "hostId"),
    type: oneOf(parts, "type", ["QEMU", "LXC"]),
  })),
  component: lazyPage(() => import("./pages/moves/Placement.js"), "Placement"),
});

const users = createRoute({
  getParentRoute: parent,
  path: "/users",
  validateSearch: optional((parts) => ({
    ...pageParts(parts),
    search: text(parts, "search"),
    role: oneOf(parts, "role", ["ADMIN", "OPERATOR", "RESELLER", "CUSTOMER"]),
  })),
  component: lazyPage(() => import("./pages/people/Users.js"), "Users"),
});

const user = createRoute({
  getParentRoute: parent,
  path: "/users/$id",
  validateSearch: pageParts,
  component: lazyPage(() => import("./pages/people/User.js"), "UserPage"),
});

const plans = createRoute({
  getParentRoute: parent,
  path: "/plans",
  validateSearch: pageParts,
  component: lazyPage(() => import("./pages/catalogue/Plans.js"), "Plans"),
});

const templates = createRoute({
  getParentRoute: parent,
  path: "/templates",
  validateSearch: optional((parts) => ({ hostId: whole(parts, "hostId") })),
  component: lazyPage(() => import("./pages/catalogue/Templates.js"), "Templates"),
});

const ipZones = createRoute({
  getParentRoute: parent,
  path: "/ip-zones",
  validateSearch: optional((parts) => ({ hostId: whole(parts, "hostId"), zoneId: whole(parts, "zoneId") })),
  component: lazyPage(() => import("./pages/catalogue/IpZones.js"), "IpZones"),
});

const ipAddress = createRoute({
  getParentRoute: parent,
  path: "/ip-addresses/$address",
  validateSearch: optional((parts) => ({ ...pageParts(parts), hostId: whole(parts, "hostId") })),
  component: lazyPage(() => import("./pages/catalogue/IpAddress.js"), "IpAddressPage"),
});

const account = createRoute({
  getParentRoute: parent,
  path: "/account",
  component: lazyPage(() => import("./pages/people/Account.js"), "Account"),
});

const tokens = createRoute({
  getParentRoute: parent,
  path: "/tokens",
  component: lazyPage(() => import("./pages/people/Tokens.js"), "Tokens"),
});

const requests = createRoute({
  getParentRoute: parent,
  path: "/requests",
  validateSearch: optional((parts) => ({
    ...pageParts(parts),
    path: text(parts, "path"),
    sourceIp: text(parts, "sourceIp"),
    tokenId: whole(parts, "tokenId"),
    answers: oneOf(parts, "answers", ["ok", "refused", "failed"]),
  })),
  component: lazyPage(() => import("./pages/service/Requests.js"), "Requests"),
});

/** Below `/graphql`, where programs speak to the service: a browser that opens the address comes here. */
const graphiql = createRoute({
  getParentRoute: parent,
  path: "/graphql",
  component: lazyPage(() => import("./pages/service/Graphiql.js"), "Graphiql"),
});

const settings = createRoute({
  getParentRoute: parent,
  path: "/settings",
  component: lazyPage(() => import("./pages/service/Settings.js"), "Settings"),
});

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([
    overview,
    hosts,
    host,
    node,
    guests,
    newGuest,
    guest,
    newMigration,
    jobs,
    job,
    migrations,
    migration,
    evacuations,
    newEvacuation,
    evacuation,
    balance,
    balanceRun,
    safetyCopies,
    placement,
    users,
    user,
    account,
    plans,
    templates,
    ipZones,
    ipAddress,
    tokens,
    requests,
    graphiql,
    settings,
  ]),
]);

export const router = createRouter({ routeTree, defaultPreload: "intent", scrollRestoration: true });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

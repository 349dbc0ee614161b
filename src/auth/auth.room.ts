/** Accounts: who a caller is and what the caller may do. */
import type { Core } from "../platform/core.ts";
import type { Platform, Room } from "../platform/room-shape.ts";
import type { AuthMail } from "./contact/mails.ts";
import type { FileTransfer } from "./teams/service.ts";

const HOUR_MS = 3_600_000;

type Needs = Platform & { mail?: { forAccounts: AuthMail } };

export const authRoom = {
  name: "auth",
  commands: {
    "reset-password":
      "set the administrator's password and end the administrator's sessions; works before the first start",
    users: "accounts besides the built-in administrator",
    sessions: "where accounts are signed in",
    teams: "teams that own links, folders and domains",
    tokens: "API tokens of accounts",
  },
  loadCommands: async () => (await import("./auth.commands.ts")).addAuthCommands,
  setUpCommands: ["reset-password", "users add", "users invite", "teams add", "tokens add"],
  async start(core: Core, { env, box, isServer, registry, worker, mail }: Needs) {
    const { createAddressBuckets, createAddressLimit } = await import("./address-limit.ts");
    const { createAuth } = await import("./auth.ts");
    const { createFailureCounter } = await import("./auth-core.ts");
    const { NO_MAIL } = await import("./contact/mails.ts");
    const { createPasswords } = await import("./login/password.ts");
    const { createProxies } = await import("./proxies.ts");
    const { parseAgent } = await import("../lib/agents.ts");
    const { knownServerOrigin } = await import("../lib/server-address.ts");
    const { createOrigins } = await import("../platform/http/origins.ts");
    const { config } = core;
    let files: FileTransfer | undefined;
    const proxies = createProxies({ ...core, dataDir: env.data.dir });
    const passwords = createPasswords();
    const auth = createAuth({
      ...core,
      box,
      files: () => files!,
      passwords,
      mail: mail?.forAccounts ?? NO_MAIL,
      describeAgent: parseAgent,
      ...(worker && { tryLogin: worker.takeLoginTry }),
      onFailure: createFailureCounter(registry),
      proxies,
    });
    config.refuse("oidc.password_sign_in", auth.refusalOfPasswordSignIn);
    worker?.on({ openSetUp: auth.openSetUp });
    return {
      offers: {
        auth,
        proxies,
        origins: createOrigins({
          publicUrl: () => config.get("features.public_url"),
          trustedHop: auth.trustedHop,
          server: env.server,
          running: isServer ? null : knownServerOrigin(env.data.dir),
        }),
        // Apart from sign-ins, which reports would slow down.
        takeReport: createAddressLimit(createAddressBuckets(core).tryNow).take,
        hashPassword: passwords.hashPassword,
        /** Registers who transfers files to a new owner when their owner is removed. */
        carryFilesBy: (transfer: FileTransfer): void => void (files = transfer),
      },
      endpoints: { api: auth.endpoints, panel: auth.setUpEndpoints },
      jobs: [{ name: "auth-clean-up", everyMs: () => HOUR_MS, run: async () => void (await auth.cleanUp()) }],
    };
  },
} satisfies Room;

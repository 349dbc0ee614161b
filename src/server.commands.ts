import type { Command } from "commander";
import { createApp } from "./app.ts";
import type { CommandContext } from "./cli/command.ts";
import type { Env } from "./env.ts";
import { createLogger } from "./lib/logger.ts";
import { VERSION } from "./lib/version.ts";
import { startServer } from "./server.ts";

export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command("serve")
    .description("run the server until SIGTERM or SIGINT")
    .action(() => serve(context.env()));
}

async function serve(env: Env): Promise<void> {
  const logger = await createLogger(env.logging);
  const signalled = nextSignal();
  const app = await createApp(env, { logger });
  try {
    const server = await startServer(env.server, app);
    logger.info(
      { version: VERSION, address: server.address, data: env.data.dir },
      `Waymark listens on ${server.address}`,
    );
    if (!app.isAdminEnabled()) {
      logger.info("The admin API is off until a password is set: run 'bin/waymark reset-password'");
    }
    const signal = await signalled;
    logger.info({ signal }, "stopping: finishing running requests and storing clicks");
    await server.stop();
  } finally {
    await app.close();
  }
  logger.info("stopped");
}

/** The first signal that asks for an orderly stop; a second one ends the process at once. */
function nextSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      resolve(signal);
    });
  }
  return promise;
}

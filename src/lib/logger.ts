import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import pino, { type Logger as PinoLogger } from "pino";

export type Logger = PinoLogger;

export type LogSettings = {
  level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  format: "json" | "pretty";
  /** Appended to instead of standard error. SIGHUP opens it again, for logrotate. */
  file: string | null;
};

const SECRET_PATHS = ["password", "token", "authorization", "cookie", "secret_key", "access_key"].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
);

/** A module that is not found is an error without properties, which pino's own serializer can't write. */
const errorView = (error: Error) =>
  error instanceof ResolveMessage || error instanceof BuildMessage
    ? { type: error.name, message: error.message }
    : pino.stdSerializers.err(error);

/** Accounts, addresses and paths are in the log. */
const FILE_MODE = 0o600;

/** Standard output is for command results. */
export async function createLogger(settings: LogSettings): Promise<Logger> {
  const destination = pino.destination({
    dest: settings.file ?? 2,
    mkdir: true,
    mode: FILE_MODE,
    sync: true,
  });
  const options = {
    level: settings.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: "[REDACTED]" },
    serializers: { err: errorView },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger = pino(options, await streamFor(settings, destination));
  const { file } = settings;
  if (file !== null) process.on("SIGHUP", () => reopen(file, destination, logger));
  return logger;
}

async function streamFor({ format, file }: LogSettings, destination: ReturnType<typeof pino.destination>) {
  if (format === "json") return destination;
  const { default: pretty } = await import("pino-pretty");
  return pretty({
    destination,
    colorize: file === null && process.stderr.isTTY,
    ignore: "pid,hostname",
    singleLine: true,
  });
}

function reopen(file: string, destination: ReturnType<typeof pino.destination>, logger: Logger): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    // After a failed `reopen` the destination would close a wrong descriptor.
    closeSync(openSync(file, "a", FILE_MODE));
    destination.reopen();
  } catch (err) {
    logger.error({ err }, `the log file ${file} can't be opened again; the log continues in the former one`);
  }
}

export const silentLogger: Logger = pino({ level: "silent" });

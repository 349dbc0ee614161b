import pino, { type Logger as PinoLogger } from "pino";

export type Logger = PinoLogger;

export type LogSettings = {
  level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  format: "json" | "pretty";
  /** Appended to instead of standard error. Waymark does not rotate it. */
  file: string | null;
};

const SECRET_PATHS = ["password", "token", "authorization", "cookie", "secret_key", "access_key"].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
);

/** Standard output is for command results. */
export async function createLogger(settings: LogSettings): Promise<Logger> {
  const destination = pino.destination({ dest: settings.file ?? 2, mkdir: true, sync: true });
  const options = {
    level: settings.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: "[REDACTED]" },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (settings.format === "json") return pino(options, destination);
  const { default: pretty } = await import("pino-pretty");
  const stream = pretty({
    destination,
    colorize: settings.file === null && process.stderr.isTTY,
    ignore: "pid,hostname",
    singleLine: true,
  });
  return pino(options, stream);
}

export const silentLogger: Logger = pino({ level: "silent" });

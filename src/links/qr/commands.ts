import { extname } from "node:path";
import type { Command } from "commander";
import { type CommandContext, subcommand, type Texts } from "../../platform/cli/command.ts";
import { writeResult } from "../../platform/cli/result-file.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { type HostOf, type ShownLink, viewOfLink } from "../link/link.ts";
import { FORMATS, type QrFormat, qrForTerminal, qrLookOf, qrPicture, qrQuery } from "./picture.ts";

type Context = CommandContext<{
  links: {
    by(actor: Actor): { get(key: string): Promise<ShownLink> };
    domains: { key(code: string, domain: string | undefined): string; hostOf: HostOf };
  };
  origins: { ofServer(): string };
}>;

type Options = Texts<"domain" | "format" | "size" | "margin" | "dark" | "light" | "ecc" | "output">;

/** @param links the group of commands for links */
export function addQrCommand(links: Command, context: Context): void {
  subcommand(links, "qr <code>", "show the short URL of a link as a QR code, or write it as a picture")
    .option("--domain <host>", "host of the link's domain; default: the default domain")
    .option("--format <format>", "svg or png; default: by the name of the file, else svg")
    .option("--size <pixels>", "width and height of the picture, 64 to 2048")
    .option("--margin <modules>", "quiet zone on each side, 0 to 32; scanners expect 4")
    .option("--dark <colour>", "3 or 6 hex digits")
    .option("--light <colour>", "3 or 6 hex digits")
    .option("--ecc <level>", "error correction: L, M, Q or H")
    .option("--output <file>", "the file to write; - for standard output")
    .action((code: string, options: Options) => writeQr(context, code, options));
}

/** By the ending of the file's name. @throws BadRequest for one of another format */
function formatOf(path = ""): QrFormat | undefined {
  const ending = extname(path).slice(1).toLowerCase();
  if (ending === "") return undefined;
  const format = FORMATS.find((one) => one === ending);
  if (format !== undefined) return format;
  throw appError(
    "BadRequest",
    `A QR code can't be written as .${ending}. End the file's name with .svg or .png, or add --format.`,
  );
}

/** Shown on a terminal unless a file or format is named. */
async function writeQr({ output, services }: Context, code: string, options: Options): Promise<void> {
  const { domain, output: path, ...given } = options;
  const format = given.format ?? formatOf(path);
  const look = qrLookOf(validated(qrQuery, { ...given, format }, "The QR code"));
  const toTerminal = output.isTerminal && (path === undefined || path === "-");
  if (toTerminal && look.format === "png") {
    throw appError("BadRequest", "A terminal can't show a PNG; name a file with --output.");
  }
  const { links, origins } = await services();
  const link = await links.by(COMMAND).get(links.domains.key(code, domain));
  const { short_url: url } = viewOfLink(link, origins.ofServer(), links.domains.hostOf);
  if (toTerminal && given.format === undefined) return output.line(qrForTerminal(url, look));
  const picture = qrPicture(url, look);
  await writeResult(
    path,
    (async function* () {
      yield picture;
    })(),
  );
}

/** Every option and argument with a closed set of values completes in shells. */
import { expect, test } from "bun:test";
import { type Argument, Command, type Option } from "commander";
import { addCommands } from "./cli.ts";
import { ROOMS } from "./rooms.ts";
import { completionsOf } from "../platform/cli/completion.ts";
import { completionValuesOf } from "../platform/cli/define.ts";
import { ROLES, SCOPES } from "../lib/access.ts";
import { CONFIG_KEYS } from "../platform/config/definitions.ts";

const program = new Command("waymark");
const nothing = () => {
  throw new Error("no command runs");
};
const extend = async (name: string, command: Command) => {
  for (const { extensions } of ROOMS) (await extensions?.[name]?.())?.(command, {} as never);
  return [];
};
await addCommands(program, { env: nothing, services: nothing, database: nothing, extend } as never);

type Slot = { command: string; name: string; takes: string; has: boolean };
function slotsOf(command: Command, path: readonly string[] = []): Slot[] {
  const has = (slot: Option | Argument) => {
    const values = completionValuesOf(slot);
    return typeof values === "function" || values.length > 0;
  };
  const own = [
    ...command.registeredArguments.map((one) => ({ name: one.name(), takes: one.name(), has: has(one) })),
    ...command.options
      .filter(({ required, optional }) => required || optional)
      .map((one) => ({ name: one.long!, takes: /[<[](.*)[>\]]/.exec(one.flags)![1]!, has: has(one) })),
  ].map((slot) => ({ ...slot, command: path.join(" ") }));
  return [...own, ...command.commands.flatMap((one) => slotsOf(one, [...path, one.name()]))];
}
const complete = (line: string) =>
  completionsOf(program, line.split(" ")).map((found) => found.split("\t")[0]);

/** What an open set is called. A new name is closed until it is here. */
const OPEN =
  /^(?:account|action|actor|address|amount|bundle|bytes|bytes\.\.\.|change|code|codes|colour|columns|condition|date|day|delivery|destination|dir|display-name|domain|file|folder|host|id|id-or-code|ids|instant|json|millimetres|modules|name|name=value|new|number|old|owner|page|paths?|pixels|place|port|reason|recipient|secret|sender|source|subject|tag|tags|target|team|text|time|title|to|type|url|username|value|version|when|words)$/;
/** Slots whose name is that of a closed set elsewhere. */
const EXCEPTIONS = [
  "serve --from",
  "serve --key",
  "storage move from",
  "successor check --key",
  "links restore --event",
  "webhooks replay --from",
];

test("every closed set of values completes", () => {
  const missing = slotsOf(program)
    .filter(({ takes, has }) => !has && !OPEN.test(takes))
    .map(({ command, name, takes }) => [`${command} ${name}`, takes])
    .filter(([slot]) => !EXCEPTIONS.includes(slot!));
  expect(missing).toEqual([]);
});

test.each([
  ["config get ", CONFIG_KEYS],
  ["tokens add name --scope ", SCOPES],
  ["users add anna --role ", ROLES],
  ["config set features.enable_admin_panel ", ["true", "false"]],
  ["config list --category of", []],
  ["teams add x --member anna:", ["anna:viewer", "anna:editor", "anna:manager"]],
  ["links list --sort cl", ["click_count"]],
  ["links list --sort=cl", ["--sort=click_count"]],
  ["links list --order ", ["asc", "desc"]],
  ["shares ls --kind dr", ["drop"]],
  ["links add https://example.com/ --status 30", ["301", "302", "307", "308"]],
  ["links qr code --ecc ", ["L", "M", "Q", "H"]],
  ["analytics report ci", ["city"]],
] as const)("%s", (line, found) => {
  expect(complete(line)).toEqual([...found]);
});

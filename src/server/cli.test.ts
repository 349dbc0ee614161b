import { expect, test } from "bun:test";
import { Command } from "commander";
import { inOptions } from "./cli.ts";
import { ROOMS } from "./rooms.ts";

test.each(ROOMS.filter((room) => room.commands).map((room) => [room.name, room] as const))(
  "the room %s adds the commands that it names",
  async (_, { commands, loadCommands }) => {
    const program = new Command();
    await (await loadCommands!())(program, { extend: async () => [] } as never);
    expect(program.commands.map((command) => command.name())).toEqual(Object.keys(commands!));
  },
);

test("messages about fields name the options", () => {
  const command = new Command("share")
    .option("--expires <when>")
    .option("--max-files <n>")
    .option("--member <m>");
  const message = "expires_at must be a time. members.0.role must be one. url: no URL. name must be short.";
  expect(inOptions(message, command)).toBe(
    "--expires must be a time. --member must be one. url: no URL. name must be short.",
  );
});

test("a reader that leaves early, as head does, ends no command", async () => {
  const script = `{ "$1" "$2" version 2>&3; echo $? >&3; } 3>&2 | :`;
  const run = Bun.spawn(["sh", "-c", script, "sh", process.execPath, `${import.meta.dir}/../main.ts`], {
    stderr: "pipe",
  });
  expect(await new Response(run.stderr).text()).toBe("0\n");
});

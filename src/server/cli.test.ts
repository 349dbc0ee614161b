import { expect, test } from "bun:test";
import { Command } from "commander";
import { COMMAND_ROOMS, inOptions } from "./cli.ts";

test.each(COMMAND_ROOMS.map((room) => [Object.keys(room.commands).join(), room] as const))(
  "the room of %s adds these",
  async (_, room) => {
    const program = new Command();
    await room.add(program, {} as Parameters<typeof room.add>[1]);
    expect(program.commands.map((command) => command.name())).toEqual(Object.keys(room.commands));
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

test("an address that is none opens no database, which would make one", async () => {
  const program = new Command().exitOverride();
  const services = () => Promise.reject(new Error("opened"));
  const context = { services } as unknown as Parameters<(typeof COMMAND_ROOMS)[number]["add"]>[1];
  await COMMAND_ROOMS.find(({ commands }) => "move" in commands)!.add(program, context);
  const moving = program.parseAsync(["move", "--to", "redis://127.0.0.1/"], { from: "user" });
  await expect(moving).rejects.toThrow("The database URL is invalid");
});

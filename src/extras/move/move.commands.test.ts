import { expect, test } from "bun:test";
import { Command } from "commander";
import { addMoveCommand } from "./move.commands.ts";

test("an address that is none opens no database, which would make one", async () => {
  const program = new Command().exitOverride();
  addMoveCommand(program, { services: () => Promise.reject(new Error("opened")) } as never);
  const moving = program.parseAsync(["move", "--to", "redis://127.0.0.1/"], { from: "user" });
  await expect(moving).rejects.toThrow("The database URL is invalid");
});

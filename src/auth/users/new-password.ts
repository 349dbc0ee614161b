import { appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { newPasswordSchema } from "./user.ts";

type PasswordInput = { text(): Promise<string>; secret(question: string): Promise<string> };
export type PasswordOptions = { stdin?: boolean };

/** @throws BadRequest when the password is too short, too long, or typed differently the second time */
export async function readNewPassword(
  { input }: { input: PasswordInput },
  { stdin }: PasswordOptions,
): Promise<string> {
  const password = stdin ? await input.text() : await input.secret("New password: ");
  validated(newPasswordSchema, password, "The password");
  if (!stdin && (await input.secret("Repeat the password: ")) !== password) {
    throw appError("BadRequest", "The two passwords differ; nothing was changed.");
  }
  return password;
}

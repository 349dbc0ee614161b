import { lazyOrFailure } from "../base/lazy.ts";
import { loadSecurityTexts } from "./security-texts.ts";

/** Loaded when a sign-in asks for a code. */
export const SecondStep = lazyOrFailure(async () => {
  const [step] = await Promise.all([import("./security/code-step.tsx"), loadSecurityTexts()]);
  return step.CodeStep;
});

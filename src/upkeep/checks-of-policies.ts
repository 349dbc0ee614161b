import { type Check, ok, warning } from "./doctor.ts";

/** `misplaced` returns policies whose location is refused for new ones. */
export function checkPolicies(misplaced: () => Promise<{ name: string; refusal: string }[]>): Check {
  return {
    part: "storage policies",
    async look() {
      const found = (await misplaced()).map(({ name, refusal }) =>
        warning(
          `the policy '${name}' works, but its location is refused for new policies. ${refusal}`,
          "Allow its folder, or move its files to another policy and delete this one.",
        ),
      );
      return found.length > 0 ? found : [ok("every policy is in an allowed location")];
    },
  };
}

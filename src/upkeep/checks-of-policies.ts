import { type Check, failure, ok, warning } from "./doctor.ts";

/**
 * `misplaced` returns policies whose location is refused for new ones; `standings` writes to the storages, and returns
 * what keeps them from taking files.
 */
export function checkPolicies(
  misplaced: () => Promise<{ name: string; refusal: string }[]>,
  standings: () => Promise<{ name: string; trouble: string | null }[]>,
): Check {
  return {
    part: "storage policies",
    async look() {
      const unusable = (await standings()).flatMap(({ name, trouble }) =>
        trouble === null ? [] : failure(`the storage of the policy '${name}' takes no files`, trouble),
      );
      const found = (await misplaced()).map(({ name, refusal }) =>
        warning(
          `the policy '${name}' works, but its location is refused for new policies. ${refusal}`,
          "Allow its folder, or move its files to another policy and delete this one.",
        ),
      );
      const all = [...unusable, ...found];
      return all.length > 0 ? all : [ok("every policy is in an allowed location and can be written")];
    },
  };
}

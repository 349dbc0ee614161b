/** Changes of many targets by a part of them: a text, or the parameters of campaigns. */
import { z } from "zod";
import { setUtm, UTM_NAMES, type UtmName } from "../../lib/utm.ts";

const MOST_CHARACTERS = 2_000;

const parameter = z.string().max(MOST_CHARACTERS).optional();

export const utmFields = z
  .strictObject(
    Object.fromEntries(UTM_NAMES.map((name) => [name, parameter])) as Record<UtmName, typeof parameter>,
  )
  .describe("parameters of campaigns, without utm_; an empty one is removed");
export type UtmFields = z.output<typeof utmFields>;

export const retargeting = {
  replace_in_target: z
    .strictObject({
      text: z.string().min(1).max(MOST_CHARACTERS),
      by: z.string().max(MOST_CHARACTERS),
    })
    .optional()
    .describe(
      "replaces a text wherever a target has it, as it is written; links without it stay as they are",
    ),
  utm: utmFields
    .optional()
    .describe("sets parameters of campaigns in targets; absent ones stay, an empty one is removed"),
};

type Retargeting = { replacing?: { text: string; by: string } | undefined; utm?: UtmFields | undefined };

/** What each target becomes; undefined if targets stay. */
export function retargetBy({ replacing, utm }: Retargeting): ((target: string) => string) | undefined {
  const parameters = UTM_NAMES.flatMap((name) =>
    utm?.[name] === undefined ? [] : ([[name, utm[name]]] as const),
  );
  if (replacing === undefined && parameters.length === 0) return undefined;
  return (target) => {
    const replaced = replacing === undefined ? target : target.replaceAll(replacing.text, () => replacing.by);
    return parameters.reduce((address, [name, value]) => setUtm(address, name, value), replaced);
  };
}

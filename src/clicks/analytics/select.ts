/** Makes selections of what was asked. */
import type { Visitors } from "../../lib/visitors.ts";
import { isKeyText, linkNotFound } from "../../links/link/code.ts";
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import { COLUMN_DIMENSIONS, COLUMN_OF, parseAgentValue } from "../rollups/dimensions.ts";
import type { CountRepository } from "./counts.repository.ts";
import type { DetailConditions, Selection } from "./selection.ts";
import type { ValueRepository } from "./values.repository.ts";

/** A click must have each. */
export type AskedValues = Readonly<Partial<Record<AskedValue, string>>>;
export const ASKED_VALUES = [...COLUMN_DIMENSIONS, "country", "city", "device", "browser", "os"] as const;
export type AskedValue = (typeof ASKED_VALUES)[number];

/** All visitors by default. `key`: the clicks of that link. */
export type ClickFilter = {
  visitors?: Visitors;
  key?: string | undefined;
  links?: LinkSet | null;
  values?: AskedValues;
};

type Deps = { counts: Pick<CountRepository, "linkId">; values: Pick<ValueRepository, "agents"> };

const COLUMNS = { ...COLUMN_OF, country: "country", city: "city" } as const;
const isColumn = (name: AskedValue): name is keyof typeof COLUMNS => name in COLUMNS;
const AGENT_PARTS = ["device", "browser", "os"] as const;

/** @throws LinkNotFound for an unknown key */
export function createSelect({ counts, values }: Deps) {
  async function linksOf({ key, links = null }: ClickFilter): Promise<LinkSet | null> {
    if (key === undefined) return links;
    const id = isKeyText(key) ? await counts.linkId(key) : null;
    if (id === null) throw linkNotFound(key);
    return { ids: [id] };
  }

  async function agentsWith(wanted: AskedValues): Promise<readonly number[] | null> {
    const parts = AGENT_PARTS.filter((part) => wanted[part] !== undefined);
    if (parts.length === 0) return null;
    const agents = await values.agents(wanted);
    return agents
      .filter(({ value }) => parts.every((part) => parseAgentValue(value)[part] === wanted[part]))
      .map(({ id }) => id);
  }

  async function detailsOf(wanted: AskedValues): Promise<DetailConditions | null> {
    if (Object.keys(wanted).length === 0) return null;
    const texts = ASKED_VALUES.flatMap((name) => {
      const text = wanted[name];
      return text === undefined || !isColumn(name) ? [] : [[COLUMNS[name], text] as const];
    });
    return { texts, agents: await agentsWith(wanted) };
  }

  return async (asked: ClickFilter): Promise<Selection> => {
    const [links, details] = await Promise.all([linksOf(asked), detailsOf(asked.values ?? {})]);
    return { links, details, visitors: asked.visitors ?? "all" };
  };
}

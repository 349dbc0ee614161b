/**
 * What visitors of shares and drop boxes did, for their owners: who, if the address is proved, what and when, with browser
 * and system as far as the settings of privacy keep them. Never an address of the network. Those who come while others are
 * written are written together.
 */
import { createAgents } from "../../lib/agents.ts";
import { isAutomatedAgent, isPrefetch } from "../../lib/automated-visitors.ts";
import { createBatches } from "../../lib/batches.ts";
import type { Clock } from "../../lib/clock.ts";
import { createGenerationMap } from "../../lib/generation-map.ts";
import { isForeignKeyViolation } from "../../platform/db/failures.ts";
import { asksNotToTrack } from "../../lib/privacy-signals.ts";
import type { DoneVisit, RecipientsRepository } from "./repository.ts";

type Deps = {
  repository: Pick<RecipientsRepository, "addVisits" | "trimVisits">;
  /** `respectsSignals`: not of visitors who ask not to be tracked. */
  privacy(): { keepsAgents: boolean; respectsSignals: boolean };
  clock: Clock;
};

export type VisitLog = ReturnType<typeof createVisitLog>;

/** Null: unknown, or not kept. `automated`: by the rule that counts human clicks. */
export type VisitorDevice = Pick<DoneVisit, "browser" | "os" | "automated">;

const MOST_AT_ONCE = 500;
const TRIMMED_EVERY = 100;
const REMEMBERED = 1_000;

export function createVisitLog({ repository, privacy, clock }: Deps) {
  const agents = createAgents();
  /** Visits since the last trim. */
  const added = createGenerationMap<number>(REMEMBERED);

  /** Those of a link that is gone are lost with it: a download may end after its share. */
  async function storeAlone(visit: DoneVisit): Promise<void> {
    try {
      await repository.addVisits([visit]);
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
    }
  }

  async function store(visits: readonly DoneVisit[]): Promise<PromiseSettledResult<void>[]> {
    try {
      await repository.addVisits(visits);
      return visits.map(() => ({ status: "fulfilled", value: undefined }));
    } catch {
      return Promise.allSettled(visits.map(storeAlone));
    }
  }
  const add = createBatches<"visits", DoneVisit, void>({ most: MOST_AT_ONCE, run: store });

  return {
    deviceOf({ headers }: { headers: Pick<Headers, "get"> }): VisitorDevice {
      const { keepsAgents, respectsSignals } = privacy();
      const agent = headers.get("user-agent") ?? "";
      const automated = isAutomatedAgent(agent) || isPrefetch(headers);
      if (!keepsAgents || (respectsSignals && asksNotToTrack(headers)))
        return { browser: null, os: null, automated };
      const { browser, os } = agents.describe(agent);
      return { browser: known(browser), os: known(os), automated };
    },

    async note(visit: Omit<DoneVisit, "at">): Promise<void> {
      await add("visits", { ...visit, at: clock.now() });
      const key = String(visit.linkId);
      const count = (added.get(key) ?? TRIMMED_EVERY) + 1;
      added.set(key, count > TRIMMED_EVERY ? 0 : count);
      if (count > TRIMMED_EVERY) await repository.trimVisits(visit.linkId);
    },
  };
}

const known = (name: string): string | null => (name === "Other" ? null : name);

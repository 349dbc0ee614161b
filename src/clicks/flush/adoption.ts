/** Takes over the slots of dead processes, repeatedly: a process that was just killed may still hold its lock. */
import type { Logger } from "../../lib/logger.ts";
import type { SourceState } from "./source.ts";
import { listSegments, listUnfinished } from "../journal/segment.ts";
import { listSlots, type Slot, tidySlot, tryTakeSlot } from "../journal/slot.ts";

type AdoptionOptions = {
  journalDir: string;
  /** Slot of this process. */
  ownDir: string;
  logger: Logger;
  /** `onRetired` runs when the segment is gone. */
  add(state: SourceState, onRetired: () => void): void;
};

export function createAdoption({ journalDir, ownDir, logger, add }: AdoptionOptions) {
  const held = new Set<string>();

  const adopt = (slot: Slot): void => {
    const segments = listSegments(slot.dir);
    let left = segments.length;
    const release = () => {
      held.delete(slot.dir);
      slot.lock.release();
    };
    if (left === 0) return release();
    held.add(slot.dir);
    logger.info({ slot: slot.dir, segments: left }, "counting clicks left by another process");
    for (const path of segments) {
      add({ path, final: true, position: null }, () => {
        left -= 1;
        if (left === 0) release();
      });
    }
  };

  const sweep = (): void => {
    for (const dir of listSlots(journalDir)) {
      if (dir === ownDir || held.has(dir)) continue;
      if (listSegments(dir).length === 0 && listUnfinished(dir).length === 0) continue;
      const slot = tryTakeSlot(dir);
      if (slot === null) continue;
      try {
        tidySlot(slot);
        adopt(slot);
      } catch (error) {
        slot.lock.release();
        logger.error(
          { err: error, slot: dir },
          "clicks left by another process can't be counted; it will be retried",
        );
      }
    }
  };

  return {
    /** A slot with left-overs stays locked until they are counted. */
    sweep(): void {
      try {
        sweep();
      } catch (error) {
        logger.error({ err: error, journalDir }, "the journals of other processes can't be read");
      }
    },
  };
}

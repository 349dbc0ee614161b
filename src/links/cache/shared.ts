/**
 * Links in Redis, shared by all processes and nodes.
 *
 * A value must never be older than the last `delete`, even if a slow reader stores an old result. So storing needs a
 * lease (Facebook's memcache, NSDI 2013). A reader that finds nothing leaves a random text for ten seconds, then
 * queries the database. Storing replaces exactly that lease; a delete removes it. So a result from before a delete
 * finds no lease, and a later lease belongs to a query after the commit. A reader may store under another's lease,
 * which is older than its own query.
 *
 *     <generation>?<token>                     a lease
 *     <generation>=<id> <expires at> <target>  a link; expires at is 0 for never
 *     <generation>#…                           one with its password enforced
 *
 * Values of other generations (cluster/redis.ts) and settings are ignored. `clear`, and the connection after a
 * failed delete, begin a generation.
 */
import { chunked } from "../../lib/chunked.ts";
import { GENERATION_LENGTH, newCacheGeneration, type Redis } from "../../platform/cluster/redis.ts";
import { expiryOrZero, type FoundLink, type SharedLinks } from "./cached-link.ts";

const LEASE_MS = 10_000;
/** Without cache.ttl. */
const DEFAULT_TTL_SECONDS = 3_600;
/** Longer targets are rare, and the database has them. */
const LONGEST_TARGET = 4_096;
const DELETED_AT_ONCE = 500;
/** Above this a new generation replaces the deletes: one command. */
const MOST_DELETED = 10_000;

/** What precedes a link, by whether passwords are enforced. */
const [OPEN, ENFORCED] = ["=", "#"] as const;

/** Returns value or lease. Leaves a lease if there is none. ARGV: random text, milliseconds. */
const FIND = `
local generation = redis.call('get', KEYS[2])
if not generation then
  generation = ARGV[1]
  redis.call('set', KEYS[2], generation)
end
local value = redis.call('get', KEYS[1])
if value and string.sub(value, 1, #generation) == generation then return value end
value = generation .. '?' .. ARGV[1]
redis.call('set', KEYS[1], value, 'px', ARGV[2])
return value`;

/** Stores if lease and generation stand. ARGV: lease, value, milliseconds to live. */
const STORE = `
local generation = string.sub(ARGV[1], 1, ${GENERATION_LENGTH})
if redis.call('get', KEYS[1]) ~= ARGV[1] or redis.call('get', KEYS[2]) ~= generation then return 0 end
redis.call('set', KEYS[1], generation .. ARGV[2], 'px', ARGV[3])
return 1`;

type Deps = {
  redis: Pick<Redis, "send" | "key" | "generationKey">;
  /** cache.ttl; 0: unlimited. */
  ttlSeconds: number;
  enforcesPasswords?(): boolean;
};

export function createSharedLinks({ redis, ttlSeconds, enforcesPasswords }: Deps): SharedLinks {
  const markNow = (): string => (enforcesPasswords?.() ? ENFORCED : OPEN);
  const ttlMs = String((ttlSeconds || DEFAULT_TTL_SECONDS) * 1000);
  const keyOf = (code: string) => redis.key("link", code);
  const evaluate = (script: string, code: string, args: readonly string[]) =>
    redis.send("EVAL", [script, "2", keyOf(code), redis.generationKey, ...args]);

  /** The value or lease; null if Redis is away. */
  async function look(code: string): Promise<string | null> {
    try {
      return String(await evaluate(FIND, code, [newCacheGeneration(), String(LEASE_MS)]));
    } catch {
      return null;
    }
  }

  const clear = async (): Promise<void> => {
    await redis.send("SET", [redis.generationKey, newCacheGeneration()]).catch(() => {});
  };

  return {
    async find(code, load) {
      const seen = await look(code);
      const mark = markNow();
      const known = seen === null ? null : readValue(seen, mark);
      if (known !== null) return known;
      const found = await load();
      const mayStore = seen !== null && !isOfOther(seen, mark) && mark === markNow();
      if (found && mayStore && found.target.length <= LONGEST_TARGET) {
        evaluate(STORE, code, [seen, mark + writeValue(found), ttlMs]).catch(() => {});
      }
      return found;
    },
    async delete(codes) {
      if (codes.length > MOST_DELETED) return clear();
      const deleting = [];
      for (const some of chunked(codes, DELETED_AT_ONCE)) deleting.push(redis.send("DEL", some.map(keyOf)));
      await Promise.allSettled(deleting);
    },
    clear,
  };
}

const writeValue = ({ id, expires_at, target }: FoundLink): string =>
  `${id} ${expiryOrZero(expires_at)} ${target}`;

/** Whether a node with the other setting stored a link. */
const isOfOther = (text: string, mark: string): boolean =>
  text[GENERATION_LENGTH] === (mark === OPEN ? ENFORCED : OPEN);

/** The link; null for a lease, an unreadable value or one with another mark. */
function readValue(text: string, mark: string): FoundLink | null {
  if (text[GENERATION_LENGTH] !== mark) return null;
  const parts = /^(\d+) (\d+) ([^]+)$/.exec(text.slice(GENERATION_LENGTH + 1));
  if (parts === null) return null;
  return { id: Number(parts[1]), expires_at: Number(parts[2]) || null, target: parts[3]! };
}

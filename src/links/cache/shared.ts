/**
 * Links in Redis, which the processes of all nodes share.
 *
 * A value must never be older than the last `delete`, also when a slow reader asked the database before a change and
 * comes to store its answer after it. So nobody stores without a lease (after Facebook's memcache, NSDI 2013): who
 * finds nothing leaves a lease, a random text with ten seconds to live, in the value's place, and only then asks the
 * database. To store is to replace exactly that lease. A delete removes lease or value, so what was asked before it
 * finds its lease gone and is not stored; a lease left after it belongs to a question asked after the commit. Who
 * finds another's lease may store under it as well, because it is older than its own question. Both steps are one
 * script each, so nothing comes between looking and leaving, or comparing and replacing.
 *
 *     <generation>?<token>                     a lease
 *     <generation>=<id> <expires at> <target>  a link; expires at is 0 for never
 *
 * Values of another generation (cluster/redis.ts) count as nothing. `clear` begins a new one, and so does whoever could
 * not delete: its connection is over then, and the next one begins with a new generation.
 */
import { chunked } from "../../lib/chunked.ts";
import { GENERATION_LENGTH, newCacheGeneration, type Redis } from "../../cluster/redis.ts";
import { expiryOrZero, type FoundLink, type SharedLinks } from "./cached-link.ts";

const LEASE_MS = 10_000;
/** Without a cache.ttl of its own, values live for an hour. */
const DEFAULT_TTL_SECONDS = 3_600;
/** Longer targets are rare, and the database has them. */
const LONGEST_TARGET = 4_096;
const DELETED_AT_ONCE = 500;
/** More deleted links than this begin a new generation, which is one command. */
const MOST_DELETED = 10_000;

/** Value or lease, leaving a lease where nothing is. ARGV: random text, milliseconds of a lease. */
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

/** Replaces the lease by the value, if both lease and generation stand. ARGV: lease, value, milliseconds to live. */
const STORE = `
local generation = string.sub(ARGV[1], 1, ${GENERATION_LENGTH})
if redis.call('get', KEYS[1]) ~= ARGV[1] or redis.call('get', KEYS[2]) ~= generation then return 0 end
redis.call('set', KEYS[1], generation .. '=' .. ARGV[2], 'px', ARGV[3])
return 1`;

type Deps = {
  redis: Pick<Redis, "send" | "key" | "generationKey">;
  /** cache.ttl: 0 for no limit. */
  ttlSeconds: number;
};

export function createSharedLinks({ redis, ttlSeconds }: Deps): SharedLinks {
  const ttlMs = String((ttlSeconds || DEFAULT_TTL_SECONDS) * 1000);
  const keyOf = (code: string) => redis.key("link", code);
  const evaluate = (script: string, code: string, args: readonly string[]) =>
    redis.send("EVAL", [script, "2", keyOf(code), redis.generationKey, ...args]);

  /** What stands there now; null when Redis is away. */
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
      const known = seen === null ? null : readValue(seen);
      if (known !== null) return known;
      const found = await load();
      if (found && seen !== null && found.target.length <= LONGEST_TARGET) {
        evaluate(STORE, code, [seen, writeValue(found), ttlMs]).catch(() => {});
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

/** Null for a lease, and for what can't be read. */
function readValue(text: string): FoundLink | null {
  if (text[GENERATION_LENGTH] !== "=") return null;
  const parts = /^(\d+) (\d+) ([^]+)$/.exec(text.slice(GENERATION_LENGTH + 1));
  if (parts === null) return null;
  return { id: Number(parts[1]), expires_at: Number(parts[2]) || null, target: parts[3]! };
}

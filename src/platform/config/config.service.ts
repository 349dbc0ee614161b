import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError, type FieldError, MOST_FIELD_ERRORS } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ChangeTransaction } from "../cluster/changes.ts";
import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import { createConfigRepository } from "./config.repository.ts";
import { CONFIG_KEYS, type ConfigKey, type ConfigValues, definitionOf, isConfigKey } from "./definitions.ts";
import { type ConfigItem, itemOf, type RevealOptions } from "./items.ts";
import { createLiveSettings } from "./live-settings.ts";
import type { SettingTexts } from "./snapshot.ts";
import type { SettingChange } from "./stored-setting.ts";
import type { Action } from "./value-types.ts";
import {
  type Author,
  createConfigWriter,
  MASK,
  type Refusal,
  type SettingsChanges,
  type SettingWrites,
  type StoredBefore,
} from "./writer.ts";

const MOST_SENTENCES = 5;
const KEY = /^[a-z]+\.[a-z_]+/;

/** A fault of `value`, or of an item `value.2`. */
const inKey = (key: string, { field, message }: FieldError): FieldError => ({
  field: field.replace(/^value/, key.slice(0, 100)),
  message,
});

/** @param read throws an AppError for a value that is refused. @throws BadRequest with all refusals */
function gathered(
  entries: readonly (readonly [key: string, value: string | null])[],
  read: (key: string, value: string | null) => string | null,
): SettingWrites {
  const writes = new Map<ConfigKey, string | null>();
  const faults: FieldError[] = [];
  for (const [key, value] of entries) {
    try {
      const text = read(key, value);
      if (isConfigKey(key)) writes.set(key, text);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const own = error.faults ?? [{ field: "value", message: error.message }];
      faults.push(...own.map((fault) => inKey(key, fault)));
      if (faults.length >= MOST_FIELD_ERRORS) break;
    }
  }
  if (faults.length === 0) return writes;
  const sentences = faults.slice(0, MOST_SENTENCES).map(({ message }) => message);
  throw appError("BadRequest", sentences.join(" "), { field: faults });
}

/** A refusal of settings together begins with the key concerned. */
async function namingKey<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const key = error instanceof AppError ? KEY.exec(error.message)?.[0] : undefined;
    if (!(error instanceof AppError) || key === undefined) throw error;
    throw appError("BadRequest", error.message, { field: key });
  }
}

type Deps = {
  database: Database;
  changes: SettingsChanges;
  record: RecordEvents<Db>;
  clock: Clock;
  logger: Logger;
  /**
   * True for a server: it generates missing secrets, and settings that need a restart keep the values of `start`. For
   * commands stored values are in force at once.
   */
  startup?: boolean;
  /** `startValues()` of the first worker, for one that starts later. */
  startValues?: Partial<SettingTexts>;
  /** From the start-up settings, by key: in force instead of what is stored, which nobody may write meanwhile. */
  fixed?: Readonly<Record<string, string>>;
  generateToken?: () => string;
};

export const HISTORY_LIMIT = 100;

/** A feed that was away for long reports every topic with other keys. */
export const RESTART_NOW = "now";

const PASSWORD = "api.admin_token";
const PASSWORD_SIGN_IN = "oidc.password_sign_in";

export type Config = ReturnType<typeof createConfig>;

export function createConfig(deps: Deps) {
  const { changes, record, clock, logger, startup = false } = deps;
  const repository = createConfigRepository(deps.database);
  const fixed = Object.fromEntries(
    Object.entries(deps.fixed ?? {}).map(([key, text]) => [known(key), canonical(known(key), text)]),
  ) as Partial<SettingTexts>;
  const live = createLiveSettings({
    fixed,
    repository,
    changes,
    logger,
    held: deps.startValues ?? (startup ? null : {}),
  });
  const refusals = new Map<ConfigKey, Refusal>();
  const followUps = new Map<ConfigKey, () => Promise<void>>();
  const writer = createConfigWriter({ repository, changes, record, refusals, followUps, clock });
  const generateToken = deps.generateToken ?? (() => randomBytes(32).toString("hex"));
  let installedAt = 0;

  const show = (key: ConfigKey, reveal?: RevealOptions) =>
    itemOf(live.current(), key, installedAt, { ...reveal, fixed: fixed[key] !== undefined });

  return {
    /** The value in force; the default before `start`. Costs two property reads. */
    get<K extends ConfigKey>(key: K): ConfigValues[K] {
      return live.current().values[key];
    },
    /** Called after a changed value is in force; the writer waits. Returns how to unsubscribe. */
    onChange: live.onChange,
    /** As stored; nobody changes it until the transaction ends. */
    async hold(key: ConfigKey, tx: Db): Promise<string> {
      await repository.lock(tx);
      const [stored] = await repository.find([key], tx);
      return stored?.value ?? definitionOf(key).defaultText;
    },
    /** Lets another room refuse new values with a sentence. */
    refuse: (key: ConfigKey, refusal: Refusal): void => void refusals.set(key, refusal),
    /**
     * Has whoever changes the setting wait until others have followed it; commands don't wait. Unlike `onChange` it holds
     * nobody else.
     */
    followUp: (key: ConfigKey, run: () => Promise<void>): void => void (startup && followUps.set(key, run)),
    /** Settings that need a restart, for workers that start later. */
    startValues: live.startValues,

    /** All settings in the order of the table. Secrets are masked unless `reveal`. */
    list: (reveal?: RevealOptions): ConfigItem[] => CONFIG_KEYS.map((key) => show(key, reveal)),
    /** @throws ConfigNotFound */
    getOne: (key: string, reveal?: RevealOptions): ConfigItem => show(known(key), reveal),
    /** Newest first, at most `limit` (1 to 100), secrets masked. @throws ConfigNotFound */
    history: async (key: string, limit: number): Promise<SettingChange[]> =>
      repository.history(known(key), Math.min(Math.max(limit, 1), HISTORY_LIMIT)),

    /** Asks all servers to start their workers anew, which have the settings that need a restart in force. */
    async restart(by: Pick<Actor, "name">): Promise<void> {
      logger.info({ by: by.name }, "the workers start anew, so that all settings are in force");
      await changes.write(async (tx) => tx.changed("restarts", [RESTART_NOW]));
    },

    ...writingSide({ writer, live, fixed, generateToken, show }),

    /** Reads the settings and follows their changes. @throws ServiceUnavailable */
    async start(): Promise<void> {
      if (startup) await writer.ensureGenerated(generateToken);
      installedAt = (await repository.installedAt()) ?? clock.now();
      await live.start();
      const unknown = await repository.unknownKeys(CONFIG_KEYS);
      if (unknown.length > 0)
        logger.warn({ keys: unknown }, "ignored stored settings that this version does not know");
    },
    close: live.close,
  };
}

type WritingDeps = {
  writer: ReturnType<typeof createConfigWriter>;
  live: ReturnType<typeof createLiveSettings>;
  fixed: Partial<SettingTexts>;
  generateToken(): string;
  show(key: ConfigKey): ConfigItem;
};

function writingSide({ writer, live, fixed, generateToken, show }: WritingDeps) {
  /** An import may bring what is in force. */
  function refuseFixed(writes: SettingWrites): SettingWrites {
    for (const [key, text] of writes) {
      if (fixed[key] === undefined || fixed[key] === text) continue;
      const sentence = `${key} is set at the start, in waymark.toml or by an environment variable. Change it there, or remove it there to set it here.`;
      throw appError("BadRequest", sentence, VALUE);
    }
    return writes;
  }

  async function writeOne(key: ConfigKey, value: string | null, changedBy: Author): Promise<ConfigItem> {
    await writer.write(refuseFixed(new Map([[key, value]])), changedBy);
    return show(key);
  }

  return {
    /** @throws ConfigNotFound, BadRequest */
    set: async (key: string, value: string, changedBy: Author): Promise<ConfigItem> =>
      writeOne(editable(key), canonical(editable(key), value), changedBy),

    /**
     * Stores all or none and returns the keys that changed (with `dryRun`: would change).
     * @throws ConfigNotFound, BadRequest
     */
    async setMany(
      entries: readonly (readonly [key: string, value: string])[],
      changedBy: Author,
      { dryRun = false } = {},
    ): Promise<ConfigKey[]> {
      const texts = entries.map(([key, value]) => [editable(key), canonical(editable(key), value)] as const);
      const latest = live.current().latest;
      const writes: SettingWrites = new Map(texts.filter(([key, text]) => text !== latest[key]));
      refuseFixed(writes);
      return dryRun ? writer.preview(writes) : writer.write(writes, changedBy);
    },

    /**
     * Stores all or none and returns them; null is the default. @throws BadRequest with what is wrong with each value
     */
    async change(
      entries: readonly (readonly [key: string, value: string | null])[],
      changedBy: Author,
      { dryRun = false } = {},
    ): Promise<ConfigItem[]> {
      const writes = gathered(entries, (key, value) => {
        const name = editable(key);
        if (value !== null) return canonical(name, value);
        return definitionOf(name).generated ? generateToken() : null;
      });
      refuseFixed(writes);
      await namingKey(() => (dryRun ? writer.preview(writes) : writer.write(writes, changedBy)));
      return [...writes.keys()].map(show);
    },

    /** Returns to the default. A generated setting gets a new value. @throws ConfigNotFound, BadRequest */
    async reset(key: string, changedBy: Author): Promise<ConfigItem> {
      const name = editable(key);
      return writeOne(name, definitionOf(name).generated ? generateToken() : null, changedBy);
    },

    /** Stores nothing. @throws ConfigNotFound, BadRequest */
    runAction(key: string, action: Action): string {
      withAction(key, action);
      return generateToken();
    },
    /** @throws ConfigNotFound, BadRequest */
    runActionAndSave: async (key: string, action: Action, changedBy: Author): Promise<ConfigItem> =>
      writeOne(withAction(key, action), generateToken(), changedBy),

    /** Reads the stored settings again in every process. @throws ConfigReloadFailed */
    async reload(): Promise<void> {
      try {
        await live.read();
        await writer.announce();
      } catch (error) {
        const message =
          "The settings could not be read. The old ones stay in force. The log has the details.";
        throw appError("ConfigReloadFailed", message, { cause: error });
      }
    },

    /**
     * Writes `api.admin_token`; `opens`: and turns sign-in with a password on. `also` gets the former hash, runs in the
     * same transaction and may run again.
     * @throws BadRequest when it is not an Argon2 hash
     */
    async setAdminPasswordHash(
      hash: string,
      changedBy: Author,
      also: (tx: ChangeTransaction, formerHash: string) => Promise<void> = async () => {},
      { opens = false } = {},
    ): Promise<void> {
      const writes = new Map<ConfigKey, string | null>([[PASSWORD, canonical(PASSWORD, hash)]]);
      if (opens) writes.set(PASSWORD_SIGN_IN, null);
      await writer.write(writes, changedBy, (tx, before) => also(tx, formerOf(before, hash)));
    },

    /**
     * Like setAdminPasswordHash, with other settings, but only while no password is set. @throws Conflict, BadRequest
     */
    async setFirstAdminPasswordHash(
      hash: string,
      others: Readonly<Record<string, string>>,
      changedBy: Author,
      also: (tx: ChangeTransaction) => Promise<void>,
    ): Promise<void> {
      const texts = Object.entries(others).map(
        ([key, value]) => [editable(key), canonical(editable(key), value)] as const,
      );
      const writes: SettingWrites = new Map([...texts, [PASSWORD, canonical(PASSWORD, hash)] as const]);
      await writer.write(writes, changedBy, async (tx, before) => {
        if ((before.get(PASSWORD) ?? "") !== "") {
          throw appError("Conflict", "A password has been set meanwhile. Sign in with it.");
        }
        await also(tx);
      });
    },
  };
}

function known(key: string): ConfigKey {
  if (isConfigKey(key)) return key;
  throw appError("ConfigNotFound", `There is no setting '${key.slice(0, 100)}'.`);
}

function editable(key: string): ConfigKey {
  const name = known(key);
  if (definitionOf(name).editable) return name;
  throw appError("BadRequest", `${name} can't be written here. Run the command 'reset-password'.`);
}

/** `hash`: the one that is written; one that does not change is not among the former ones. */
const formerOf = (before: StoredBefore, hash: string): string =>
  before.has(PASSWORD) ? (before.get(PASSWORD) ?? "") : hash;

/** A request has the value in this field. */
const VALUE = { field: "value" };

function canonical(key: ConfigKey, value: string): string {
  const definition = definitionOf(key);
  if (definition.sensitive && value.trim() === MASK) {
    throw appError("BadRequest", `${key}: '${MASK}' is the mask, not a value.`, VALUE);
  }
  const checked = definition.canonical(value);
  if (typeof checked === "string") return checked;
  const field = checked.item === undefined ? VALUE.field : `${VALUE.field}.${checked.item}`;
  throw appError("BadRequest", `${key} ${checked.error}.`, { field });
}

function withAction(key: string, action: Action): ConfigKey {
  const name = editable(key);
  if (definitionOf(name).action === action) return name;
  throw appError("BadRequest", `${name} has no action '${action}'.`, { field: "action" });
}

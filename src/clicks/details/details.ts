/** Parses untrusted texts of clicks and finds the values by which they count, before the transaction. */
import { isIPv4 } from "node:net";
import { formatIp, parseIp } from "../../lib/ip-address.ts";
import { remembered } from "../../lib/remembered.ts";
import { AGENT_LENGTH, createAgents } from "../../lib/agents.ts";
import {
  agentValue,
  byDimension,
  COLUMN_DIMENSIONS,
  type ColumnValues,
  type Dimension,
  labelOfSource,
  type Place,
  placeValue,
  type Value,
} from "../rollups/dimensions.ts";
import { type Campaign, campaignOf, cleanText, decodeQueryValue, type Origin, originOf } from "./origin.ts";
import { channelOf } from "./channels.ts";
import { readDetails, type VisitDetails } from "../journal/details-record.ts";
import { isAutomatedKind } from "../journal/format.ts";
import type { ClickBatch } from "../journal/reader.ts";
import { languageOf } from "../../lib/accept-language.ts";
import { type AddressMode, keptAddress, ONLY_LOCATED } from "../../lib/kept-address.ts";

/** One object per distinct text of a batch. */
export type UserAgent = {
  readonly hash: string;
  readonly text: string;
  readonly browser: string;
  readonly value: Value;
};

export type Detail = {
  linkId: number;
  atMs: number;
  isAutomated: boolean;
  referrer: string | null;
  source: string;
  address: string | null;
  place: Place | null;
  agent: UserAgent | null;
  columns: ColumnValues;
  values: Value[];
  /** 0: not known. */
  visitor: number;
};

type Visit = Pick<Detail, "linkId" | "atMs" | "isAutomated">;
export type KnownVisit = Visit & { sent: VisitDetails; place: Place | null };

type SentAgent = Omit<UserAgent, "value"> & { profile: string };

export type DetailsParser = ReturnType<typeof createDetailsParser>;

/** See Geo.lookupMany. */
type PlaceLookup = (addresses: Iterable<string>) => Promise<ReadonlyMap<string, Place>>;

const CITY_BYTES = 200;
const NO_CAMPAIGN: Campaign = campaignOf("");
const REMEMBERED = { most: 10_000, mostCharacters: 4_000_000 };
const HASH_DIGITS = 32;

type Options = { places?: PlaceLookup; addresses?: () => AddressMode };

export function createDetailsParser({
  places = async () => new Map(),
  addresses = () => "full",
}: Options = {}) {
  const agents = createAgents();
  const origin = remembered((key: string): Origin => {
    const at = key.indexOf("\0");
    return originOf(key.slice(at + 1), decodeQueryValue(key.slice(0, at)));
  }, REMEMBERED);
  const campaign = remembered(campaignOf, REMEMBERED);
  const language = remembered(languageOf, REMEMBERED);
  const agentOf = remembered((sent: string): SentAgent => {
    const text = cleanText(sent, AGENT_LENGTH);
    const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, HASH_DIGITS);
    const profile = agents.describe(text);
    return { hash, text, browser: profile.browser, profile: agentValue(profile) };
  }, REMEMBERED);

  /** What does not need the network. */
  function describe(sent: VisitDetails) {
    const { referrer, host, source }: Origin = origin(`${sent.utmSource ?? ""}\0${sent.referrer ?? ""}`);
    const agent = sent.userAgent === null ? null : agentOf(sent.userAgent);
    const named = agent === null || agent.text === "" ? null : agent;
    const pairs = sent.campaign ?? (sent.utmSource === null ? null : `utm_source=${sent.utmSource}`);
    const utm = pairs === null ? NO_CAMPAIGN : campaign(pairs);
    const columns: ColumnValues = {
      ...utm,
      referrer: host,
      language: sent.language === null ? null : language(sent.language),
      channel: channelOf(utm, host, named?.browser ?? null),
      rule: sent.rule === 0 ? null : String(sent.rule),
    };
    return { referrer, source, agent: named, columns };
  }

  /** Equal texts of a batch share their objects. */
  function startBatch() {
    const values = createValues();
    const known = new Map<string, UserAgent>();
    const onlyLocated: Detail[] = [];
    const userAgent = ({ profile, ...parts }: SentAgent): UserAgent => {
      const { hash } = parts;
      let agent = known.get(hash);
      if (agent === undefined) known.set(hash, (agent = { ...parts, value: values("agent", profile) }));
      return agent;
    };
    const detailOf = (sent: VisitDetails, visit: Visit): Detail => {
      const { referrer, source, agent: named, columns } = describe(sent);
      const agent = named && userAgent(named);
      const counted = [values("source", labelOfSource(source, columns.utm_source))];
      if (agent !== null) counted.push(agent.value);
      for (const name of COLUMN_DIMENSIONS) {
        const text = columns[name];
        if (text !== null) counted.push(values(name, text));
      }
      const isKept = !sent.address.startsWith(ONLY_LOCATED);
      const address = addressOf(isKept ? sent.address : sent.address.slice(ONLY_LOCATED.length));
      const sums = { place: null, values: counted, visitor: sent.visitor };
      const detail: Detail = { ...visit, referrer, source, address, agent, columns, ...sums };
      if (!isKept) onlyLocated.push(detail);
      return detail;
    };
    /** After the places are found. */
    const forgetAddresses = () => onlyLocated.forEach((detail) => void (detail.address = null));
    return { values, detailOf, forgetAddresses };
  }

  function keepAddresses(parsed: Detail[]): Detail[] {
    const mode = addresses();
    if (mode !== "full") for (const detail of parsed) detail.address = keptAddress(detail.address, mode);
    return parsed;
  }

  return {
    describe,

    /** Parses the details of a batch in order. Never rejects. Looking up places is bounded in time. */
    async parse(batch: ClickBatch): Promise<Detail[]> {
      const { details, detailed, links, times, kinds } = batch;
      if (details === null || detailed === 0) return [];
      const { detailOf, values, forgetAddresses } = startBatch();
      const parsed = Array.from({ length: detailed }, (_, at): Detail => {
        const row = details.rows[at]!;
        const visit = { linkId: links[row]!, atMs: times[row]!, isAutomated: isAutomatedKind(kinds[row]!) };
        return detailOf(readDetails(details.bytes, details.places[at]!), visit);
      });
      const found = await places(addressesOf(parsed));
      if (found.size > 0) for (const detail of parsed) locate(detail, found, values);
      forgetAddresses();
      return keepAddresses(parsed);
    },

    /** Parses visits whose places are known, in order. */
    parseVisits(visits: readonly KnownVisit[]): Detail[] {
      const { detailOf, values } = startBatch();
      return keepAddresses(
        visits.map(({ sent, place, ...visit }) => {
          const detail = detailOf(sent, visit);
          setPlace(detail, place, values);
          return detail;
        }),
      );
    },
  };
}

/** Canonical; null if it is no address. */
function addressOf(text: string): string | null {
  if (isIPv4(text)) return text;
  const bytes = parseIp(text);
  return bytes === null ? null : formatIp(bytes);
}

function* addressesOf(details: readonly Detail[]): Generator<string> {
  for (const { address } of details) if (address !== null) yield address;
}

function locate(detail: Detail, places: ReadonlyMap<string, Place>, values: ReturnType<typeof createValues>) {
  setPlace(detail, (detail.address !== null && places.get(detail.address)) || null, values);
}

function setPlace(detail: Detail, place: Place | null, values: ReturnType<typeof createValues>) {
  if (place === null) return;
  const city = place.city === null ? null : cleanText(place.city, CITY_BYTES) || null;
  detail.place = { country: place.country, city };
  detail.values.push(values("place", placeValue(detail.place)));
}

function createValues(): (dimension: Dimension, text: string) => Value {
  const known = byDimension(() => new Map<string, Value>());
  return (dimension, text) => {
    const ofDimension = known[dimension];
    let value = ofDimension.get(text);
    if (value === undefined) ofDimension.set(text, (value = { dimension, text }));
    return value;
  };
}

/**
 * A room is one part of the program. `src/server/rooms.ts` lists all of them. The object that describes a room is light:
 * its file imports types only and loads the code of the room on demand, because all code together takes half a second.
 */
import type { Command } from "commander";
import type { CertificateState } from "../lib/certificate.ts";
import type { Registry } from "../lib/metrics.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import type { CommandContext } from "./cli/command.ts";
import type { Topic } from "./cluster/change-subscribers.ts";
import type { KeyCheck } from "./cluster/key-check.ts";
import type { ProcessLeases } from "./cluster/process-leases.ts";
import type { Redis } from "./cluster/redis.ts";
import type { RollCall } from "./cluster/roll-call.ts";
import type { WorkerChannel } from "./cluster/worker-channel.ts";
import type { Core } from "./core.ts";
import type { Database } from "./db/database.ts";
import type { Events } from "./events/events.service.ts";
import type { OtherProtocol } from "./http/app.ts";
import type { BodyMemory } from "./http/body-memory.ts";
import type { Endpoint, HttpConnection } from "./http/endpoint.ts";
import type { Described } from "./http/openapi.ts";
import type { Job } from "./jobs/runner.ts";
import type { listSettings, SettingSection } from "./settings/env-settings.ts";
import type { Env } from "./settings/env.ts";
import type { Arrival } from "./wire/arrival.ts";
import type { ServerCertificates } from "./wire/server-certificates.ts";

/** What the platform offers to all rooms beside `Core`. */
export type Platform = {
  env: Env;
  /** Whether rooms start for a server. Otherwise they start for one command. */
  isServer: boolean;
  /** The UUID of the database. */
  instance: string;
  box: SecretBox;
  keys: KeyCheck;
  /** Null unless `cache.type` is redis. */
  redis: Redis | null;
  leases: ProcessLeases;
  events: Events;
  rollCall: RollCall;
  registry: Registry;
  bodies: BodyMemory;
  certificates(): CertificateState[];
  /** Those that this server gives to clients; null in a command and without HTTPS. */
  serverCertificates: ServerCertificates | null;
  /** This process has read the certificate of `server.tls_cert` again. */
  serverCertificateReloaded(): void;
  sealMove(url: string): Promise<string>;
  /** The channel to the parent, in a worker process. */
  worker: WorkerChannel | undefined;
  /** Repeats `work` while the database of a starting server is away. */
  step<T>(work: () => Promise<T>): Promise<T>;
  /** The API of all rooms. It is there after they have started. */
  api: {
    described(): Described;
    ask(request: Request, connection: HttpConnection): Response | Promise<Response>;
  };
};

/**
 * The prefixes below which endpoints are mounted: `{admin}/v1`, `{admin}`, none, `{panel}/v1` and `{health}`.
 */
export type MountPlace = "api" | "admin" | "root" | "panel" | "health";

export type PlainHttp = (arrival: Arrival) => Response | Promise<Response>;

export type Started<Offers extends object = object> = {
  /** What later rooms and commands get by these names. */
  offers: Offers;
  endpoints?: Partial<Record<MountPlace, readonly Endpoint[]>>;
  protocols?: readonly OtherProtocol[];
  /** Requests that the room sends to programs of others, for the OpenAPI document. */
  requests?: Described["webhooks"];
  /** `soonAfter` names the changes after which the job runs at once. */
  jobs?: readonly (Job & { soonAfter?: Topic | readonly Topic[] })[];
  /** What `server.http_port` responds, where the server itself speaks HTTPS. */
  plainHttp?: PlainHttp;
  /** Registers metrics whose values come from the started room. */
  metrics?(registry: Registry): void;
  /** The rooms close in reverse order, after the jobs. */
  close?(): unknown;
};

/** The context of a command whose room needs `Services`. */
export type RoomContext<Services = unknown> = CommandContext<Services> & {
  database(): Promise<Database>;
  /** All start-up settings that there are. */
  startSettings: ReturnType<typeof listSettings>;
  /** Has other rooms add to a command. Returns what they return. */
  extend<T>(name: string, command: Command): Promise<T[]>;
};

type AddCommands = (program: Command, context: never) => unknown;

export type Room = {
  name: string;
  /** The room starts in a server only. */
  isServerOnly?: true;
  /** Its commands and what they are about. */
  commands?: Readonly<Record<string, string>>;
  loadCommands?(): Promise<AddCommands>;
  /** Commands that create the database if there is none, such as `links add`. */
  setUpCommands?: readonly string[];
  /** The sections that it adds to the start-up settings. */
  settings?: readonly SettingSection[];
  /** What it adds to commands of other rooms, by their names. */
  extensions?: Readonly<Record<string, () => Promise<AddCommands>>>;
  /** Programs that this program runs in processes of their own, by their first argument. */
  processes?: Readonly<Record<string, () => Promise<void>>>;
  /** @throws AppError if the data folder may not be used now */
  checkFolder?(dataDir: string): Promise<void>;
  /** Begins before the database opens what takes long. `start` gets it, and `terminate` is called if that fails. */
  begin?(): Promise<{ terminate(): void }>;
  start?(core: Core, needs: never, begun: never): Promise<Started>;
};

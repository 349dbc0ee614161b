/** `waymark storage`: storage policies, and moves of their content. */
import type { Command } from "commander";
import type { CommandContext, Output } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { type Result, rowsResult } from "../../platform/cli/results.ts";
import type { Leases } from "../../platform/cluster/leases.ts";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { rest } from "../../lib/rest.ts";
import { validated } from "../../lib/validated.ts";
import type { Policies } from "../policies/service.ts";
import { createPolicySchema, type Policy, viewPolicy } from "../policies/policy.ts";
import { moveRate, viewMove } from "./routes.ts";
import { MOVING } from "./runner.ts";
import type { MoveProgress, StorageMoves } from "./service.ts";

type Services = {
  content: { policies: Policies; moves: StorageMoves & { run(signal: AbortSignal): Promise<void> } };
  leases: Pick<Leases, "hold">;
};
type Context = CommandContext<Services>;

const COLUMNS = [
  "id",
  "name",
  ["driver_type", "DRIVER"],
  ["is_default", "DEFAULT"],
  "bucket",
  ["base_path", "PATH"],
  ["move_state", "MOVE"],
] as const;

const LEASE_MS = 120_000;
const LOOK_MS = 1_000;
const AGAIN_MS = 5_000;
const MOST_SHOWN = 20;

export function addStorageCommands(program: Command, context: Context): void {
  const define = createDefine(program.command("storage"), context);

  define("list", "list the storage policies").result(async () => {
    const { content } = await context.services();
    return rowsResult((await content.policies.list()).map(viewPolicy), COLUMNS);
  });

  define("add", "add a storage policy: a bucket of S3 with --endpoint, else a folder")
    .argument("<name>", "its name")
    .option("--path <path>", "the folder, or a prefix in the bucket", { field: "base_path" })
    .option("--endpoint <url>", "address of S3, such as https://s3.example.com")
    .option("--bucket <name>", "name of the bucket")
    .option("--region <name>", "region of the bucket")
    .option("--access-key <secret>", "access key; the secret key is read from standard input")
    .option("--default", "new uploads go there from now on", { field: "is_default" })
    .option("--if-missing", "leave a policy with this name as it is, and succeed")
    .json("print JSON")
    .result(async (options, name) => {
      const { policies } = (await context.services()).content;
      const existing = options.if_missing && (await policies.list()).find((one) => one.name === name);
      if (existing) return addedResult(existing, "exists already");
      const kind =
        options.endpoint === undefined
          ? { driver_type: "local" }
          : { driver_type: "s3", secret_key: (await context.input.text()).trim() };
      const policy = validated(createPolicySchema, { ...options, ...kind, name }, "The policy");
      return addedResult(await policies.create(policy, COMMAND), "was added");
    });

  define(
    "move",
    "move all content of a storage policy to another one while servers run; run again to continue",
  )
    .argument("<from>", "name or ID of the policy")
    .argument("[to]", "name or ID of the policy that gets the content")
    .option("--rate <bytes>", "bytes a second; default: unlimited", { isNumber: true })
    .option("--dry-run", "only say how much would move")
    .option("--stop", "stop the move; what has moved stays moved")
    .json("print JSON")
    .result(async (options, from, to) => {
      const { content } = await context.services();
      const source = await policyNamed(content.policies, from);
      if (options.stop) return moveResult(source, await content.moves.stop(source.id, COMMAND));
      if (to === undefined) throw appError("BadRequest", "Name the policy that gets the content.");
      const target = await policyNamed(content.policies, to);
      if (options.dry_run) {
        const amount = await content.moves.preview(source.id, target.id);
        return {
          json: amount,
          show: ({ line }) =>
            line(
              `${amountOf(amount.objects, amount.bytes)} would move from '${source.name}' to '${target.name}'.`,
            ),
        };
      }
      const rate = validated(moveRate, options.rate ?? 0, "--rate");
      await content.moves.start(source.id, { to: target.id, rate }, COMMAND);
      return moveResult(source, await follow(context, source));
    });
}

const addedResult = (policy: Policy, how: string): Result => ({
  json: viewPolicy(policy),
  show: ({ line }) => line(`The storage policy '${policy.name}' ${how}.`),
});

const formatBytes = (bytes: number): string => {
  const power = bytes < 1_024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return power === 0
    ? pluralize(bytes, "byte")
    : `${(bytes / 1_024 ** power).toFixed(1)} ${"KMGT"[power - 1]}iB`;
};

const amountOf = (objects: number, bytes: number): string =>
  `${pluralize(objects, "object")} (${formatBytes(bytes)})`;

/** @throws PolicyNotFound */
async function policyNamed(policies: Policies, given: string): Promise<Policy> {
  const found = (await policies.list()).find(({ id, name }) => name === given || String(id) === given);
  if (found !== undefined) return found;
  throw appError(
    "PolicyNotFound",
    `There is no storage policy '${given}'. 'waymark storage list' names them.`,
  );
}

/** Moves here, unless a server does it, until nothing is left to move. An interrupt stops the move. */
async function follow(context: Context, { id }: Policy): Promise<MoveProgress> {
  const { content, leases } = await context.services();
  const { moves } = content;
  const bar = context.output.progress("Moving");
  const ending = new AbortController();
  const interrupt = (): void => void moves.stop(id, COMMAND).finally(() => ending.abort());
  process.once("SIGINT", interrupt);
  /** Again and again, because the server that moves may die. */
  async function work(): Promise<void> {
    while (!ending.signal.aborted) {
      await leases.hold(MOVING, LEASE_MS, (lost) => moves.run(AbortSignal.any([lost, ending.signal])));
      await rest(AGAIN_MS, ending.signal);
    }
  }
  const working = work().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  async function watch(): Promise<MoveProgress> {
    for (;;) {
      const progress = await moves.get(id);
      bar.show(() => progressText(progress));
      const isOver = progress.state !== "running" || progress.objectsLeft === 0;
      // The row is read before what is left, so that it may lack the last objects.
      if (isOver || ending.signal.aborted) return moves.get(id);
      await rest(LOOK_MS, ending.signal);
    }
  }
  try {
    const failing = working.then(() => new Promise<never>(() => {}));
    return await Promise.race([watch(), failing]);
  } finally {
    bar.finish();
    ending.abort();
    await working.catch(() => {});
    process.off("SIGINT", interrupt);
  }
}

function progressText(progress: MoveProgress): string {
  const { objectsDone, objectsLeft, bytesLeft, secondsLeft, trouble } = progress;
  if (trouble !== null) return `${objectsDone} moved. Waiting: ${trouble}`;
  const left = `${objectsDone} of ${objectsDone + objectsLeft} objects, ${formatBytes(bytesLeft)} left`;
  return secondsLeft === null ? left : `${left}, about ${pluralize(Math.ceil(secondsLeft / 60), "minute")}`;
}

const moveResult = (source: Policy, progress: MoveProgress): Result => ({
  json: viewMove(progress),
  show: (output) => showMove(source, progress, output),
});

function showMove({ name }: Policy, progress: MoveProgress, { line }: Output): void {
  const { state, objectsDone, bytesDone, objectsLeft, bytesLeft, objectsFailed, uploadsLeft } = progress;
  line(`${amountOf(objectsDone, bytesDone)} moved.`);
  if (state === "stopped")
    line(
      `Stopped with ${amountOf(objectsLeft, bytesLeft)} left in '${name}'. The same command continues the move.`,
    );
  if (state === "running" && uploadsLeft > 0)
    line(`${pluralize(uploadsLeft, "unfinished upload")} began in '${name}'; they follow when they end.`);
  if (state === "running")
    line(
      `A running server removes the old objects in six minutes, when downloads have ended. Then '${name}' can be deleted.`,
    );
  if (objectsFailed === 0) return;
  process.exitCode = 1;
  line(
    `${pluralize(objectsFailed, "object")} could not be moved and ${objectsFailed === 1 ? "stays" : "stay"}:`,
  );
  for (const { sha256, reason, files } of progress.failed.slice(0, MOST_SHOWN))
    line(`  ${sha256.slice(0, 12)}… ${reason} ${files.join(", ")}`.trimEnd());
}

/** Calls over a two-way message channel that keeps order. Closing it fails all running calls. */
import { AppError, appError, type ErrorName, messageOf } from "./errors.ts";

export type RpcMessage =
  | { type: "call"; id: number; method: string; payload: unknown }
  | { type: "reply"; id: number; payload: unknown }
  | { type: "failure"; id: number; error: SentError };

/** `name` of an AppError, `code` of another error. */
type SentError = { message: string; name?: ErrorName; code?: string };

export type RpcHandlers = Record<string, (payload: never) => unknown>;

/** `Remote`: handlers of the other side. */
export type Rpc<Remote extends RpcHandlers> = ReturnType<typeof createRpc<Remote>>;

type Waiting = {
  resolve(value: never): void;
  reject(error: unknown): void;
  timer: ReturnType<typeof setTimeout> | undefined;
};

/** Call id without a reply. */
const NOBODY = 0;

export function createRpc<Remote extends RpcHandlers>(deps: {
  send(message: RpcMessage): void;
  handlers: RpcHandlers;
  /** None by default. */
  timeoutMs?: number;
  onTimeout?(method: string, timeoutMs: number): unknown;
}) {
  const { handlers, onTimeout = noReply } = deps;
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let closed: { reason: unknown } | undefined;

  function send(message: RpcMessage): void {
    if (closed !== undefined) return;
    try {
      deps.send(message);
    } catch {
      // The channel's owner closes this.
    }
  }

  function settle(id: number): Waiting | undefined {
    const call = waiting.get(id);
    waiting.delete(id);
    clearTimeout(call?.timer);
    return call;
  }

  function serve({ id, method, payload }: RpcMessage & { type: "call" }): void {
    const reply = (value: unknown) => send({ type: "reply", id, payload: value });
    const fail = (error: unknown) => {
      if (id === NOBODY) throw error;
      send({ type: "failure", id, error: toSent(error) });
    };
    try {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) throw new Error(`there is no ${method} to call`);
      const value = handler(payload as never);
      if (value instanceof Promise) void value.then(id === NOBODY ? undefined : reply, fail);
      else if (id !== NOBODY) reply(value);
    } catch (error) {
      fail(error);
    }
  }

  return {
    /** Rejects if the other side fails, lacks the handler or is late. */
    call<M extends keyof Remote & string>(
      method: M,
      payload: Parameters<Remote[M]>[0],
      timeoutMs = deps.timeoutMs,
    ): Promise<Awaited<ReturnType<Remote[M]>>> {
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      if (closed !== undefined) {
        reject(closed.reason);
        return promise;
      }
      const id = nextId++;
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => settle(id)?.reject(onTimeout(method, timeoutMs)), timeoutMs);
      waiting.set(id, { resolve, reject, timer });
      send({ type: "call", id, method, payload });
      return promise;
    },
    notify: <M extends keyof Remote & string>(method: M, payload: Parameters<Remote[M]>[0]): void =>
      send({ type: "call", id: NOBODY, method, payload }),
    /** Ignores foreign messages. */
    receive(message: unknown): void {
      if (!isRpcMessage(message)) return;
      if (message.type === "call") serve(message);
      else if (message.type === "reply") settle(message.id)?.resolve(message.payload as never);
      else settle(message.id)?.reject(fromSent(message.error));
    },
    /** Fails running and later calls with the reason. */
    close(reason: unknown = new Error("the channel is closed")): void {
      closed ??= { reason };
      for (const id of waiting.keys()) settle(id)?.reject(closed.reason);
    },
  };
}

const noReply = (method: string, timeoutMs: number): Error =>
  new Error(`${method} was not answered in ${timeoutMs} ms`);

function toSent(error: unknown): SentError {
  const message = messageOf(error);
  if (error instanceof AppError) return { message, name: error.name };
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? { message, code } : { message };
}

function fromSent({ message, name, code }: SentError): Error {
  if (name !== undefined) return appError(name, message);
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

function isRpcMessage(message: unknown): message is RpcMessage {
  if (typeof message !== "object" || message === null) return false;
  const { type, id } = message as Partial<RpcMessage>;
  return typeof id === "number" && (type === "call" || type === "reply" || type === "failure");
}

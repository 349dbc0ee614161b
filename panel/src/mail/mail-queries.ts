import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { responseOf, api, type Mail } from "../base/api.ts";

const PAGE_SIZE = 50;
/** While mails are on their way. */
const LOOK_MS = 2_000;

const isOnItsWay = ({ state, due_at: due }: Mail): boolean =>
  state === "sending" || (state === "waiting" && due !== null && Date.parse(due) <= Date.now());

export const mailsQuery = infiniteQueryOptions({
  queryKey: ["mails"],
  queryFn: async ({ signal, pageParam: cursor }) =>
    responseOf(api.GET("/admin/v1/mail", { params: { query: { cursor, limit: PAGE_SIZE } }, signal })),
  initialPageParam: "",
  getNextPageParam: ({ next_cursor: next }) => next,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ data }) => data.some(isOnItsWay)) ? LOOK_MS : false,
});

export const mailServerQuery = queryOptions({
  queryKey: ["mail-server"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/mail/server", { signal }))).data,
});

export const sendTest = (to: string): Promise<unknown> =>
  responseOf(api.POST("/admin/v1/mail/test", { body: { to } }));

export const retryMail = (id: number): Promise<unknown> =>
  responseOf(api.POST("/admin/v1/mail/{id}/retry", { params: { path: { id } } }));

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

export const MAIL_TONES = { waiting: "quiet", sending: "quiet", sent: "good", failed: "bad" } as const;

export const sendTest = async (to: string): Promise<Mail> =>
  (await responseOf(api.POST("/admin/v1/mail/test", { body: { to } }))).data;

/** Looks until it is sent, or has failed for good or for now. */
export const mailQuery = (id: number) =>
  queryOptions({
    queryKey: ["mails", "one", id],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/mail/{id}", { params: { path: { id } }, signal }))).data,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || (data.error === null && isOnItsWay(data)) ? LOOK_MS : false,
  });

export const retryMail = (id: number): Promise<unknown> =>
  responseOf(api.POST("/admin/v1/mail/{id}/retry", { params: { path: { id } } }));

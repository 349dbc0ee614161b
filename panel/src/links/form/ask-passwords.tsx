import { Trans, useLingui } from "@lingui/react/macro";
import { Switch } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { accountQuery } from "../../auth/account.ts";
import { answerOf, api } from "../../base/api.ts";
import { useUndoable } from "../../ui/undo.tsx";
import { askedQuery, useAsksPasswords } from "./link-passwords.ts";

/** Makes visitors give the passwords of all links, for those who may change settings. */
export function AskPasswords() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: account } = useQuery(accountQuery);
  const isAsked = useAsksPasswords();
  const put = async (value: "true" | "false"): Promise<void> => {
    const path = { key: "features.enforce_link_passwords" as const };
    await answerOf(api.PUT("/admin/v1/config/{key}", { params: { path }, body: { value } }));
    queries.setQueryData(askedQuery.queryKey, value === "true");
  };
  const ask = useUndoable({
    run: () => put("true"),
    undo: () => put("false"),
    refresh: () => queries.invalidateQueries({ queryKey: ["settings"] }),
    message: <Trans>Visitors are asked for the passwords of all links.</Trans>,
  });
  if (isAsked || account?.role !== "admin") return null;
  return (
    <Switch
      mt={6}
      checked={ask.isPending}
      disabled={ask.isPending}
      onChange={() => ask.mutate()}
      label={t`Ask visitors for the passwords of all links`}
    />
  );
}

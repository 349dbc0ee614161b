import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Switch } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { accountQuery } from "../../auth/account.ts";
import { responseOf, api } from "../../base/api.ts";
import { useUndoable } from "../../ui/notices/undo.tsx";
import { passwordQuery, useAsksPasswords } from "./link-passwords.ts";

type Props = {
  /** The link has a password: warns that it protects nothing. */
  isSet: boolean;
};

/** While visitors are not asked for passwords. Those who may change settings can make the server ask. */
export function AskPasswords({ isSet }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: account } = useQuery(accountQuery);
  const isRequested = useAsksPasswords();
  const put = async (value: "true" | "false"): Promise<void> => {
    const path = { key: "features.enforce_link_passwords" as const };
    await responseOf(api.PUT("/admin/v1/config/{key}", { params: { path }, body: { value } }));
    queries.setQueryData(passwordQuery.queryKey, value === "true");
  };
  const ask = useUndoable({
    run: () => put("true"),
    undo: () => put("false"),
    refresh: () => queries.invalidateQueries({ queryKey: ["settings"] }),
    message: <Trans>Visitors are asked for the passwords of all links.</Trans>,
  });
  if (isRequested) return null;
  const asking = account?.role === "admin" && (
    <Switch
      mt={6}
      checked={ask.isPending}
      disabled={ask.isPending}
      onChange={() => ask.mutate()}
      label={t`Ask visitors for the passwords of all links`}
    />
  );
  if (!isSet) return asking;
  return (
    <Alert color="orange" role="note" mt={6} p="sm" icon={<IconAlertTriangle size={18} />}>
      <Trans>Not protected: this server doesn't ask for link passwords.</Trans>
      {asking}
    </Alert>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accountQuery } from "../auth/account.ts";
import { responseOf, api, type Link, type LinkReview } from "../base/api.ts";
import { formatTime } from "../base/i18n.ts";
import { useFailureNotice, useUndoOffer } from "../ui/notices/undo.tsx";
import { refreshLinks } from "./link-queries.ts";
import { useSafetyNames } from "./safety-names.ts";

const MOST_REASON = 500;

const review = async ({ code, domain }: Pick<Link, "code" | "domain">, body: LinkReview): Promise<Link> => {
  const params = { path: { code }, query: domain === null ? {} : { domain } };
  return (await responseOf(api.POST("/admin/v1/links/{code}/review", { params, body }))).data;
};

/** A decision about the link as it is shown: others may have changed it. Taking down and putting back have undo. */
function useReview(link: Link) {
  const queries = useQueryClient();
  const offer = useUndoOffer();
  const onError = useFailureNotice();
  const refresh = () => refreshLinks(queries);
  return useMutation({
    mutationFn: (body: LinkReview) => review(link, { ...body, updated_at: link.updated_at }),
    async onSuccess(_, { action }) {
      if (action === "take_down") {
        const undo = () => review(link, { action: "reinstate" });
        offer({ undo, refresh, message: <Trans>{link.code} is taken down.</Trans> });
      }
      await refresh();
    },
    onError,
  });
}

const useIsAdmin = (): boolean => useQuery(accountQuery).data?.role === "admin";

/** Why a link leads nowhere, and for administrators what they can decide. */
export function HeldNotice({ link }: { link: Link }) {
  const names = useSafetyNames();
  const isAdmin = useIsAdmin();
  const { held } = link;
  if (held === null) return null;
  return (
    <Alert color={held.state === "waiting" ? "orange" : "red"} title={names[held.state]} role="status">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {[held.reason, held.by, formatTime(held.at)].filter(Boolean).join(" · ")}
      </Text>
      {isAdmin && <Decisions link={link} state={held.state} />}
    </Alert>
  );
}

function Decisions({ link, state }: { link: Link; state: NonNullable<Link["held"]>["state"] }) {
  const decide = useReview(link);
  const isTakenDown = state === "taken_down";
  return (
    <Group gap="xs" mt="xs" align="end">
      <Button
        size="compact-sm"
        loading={decide.isPending}
        onClick={() => decide.mutate({ action: isTakenDown ? "reinstate" : "approve" })}
      >
        {isTakenDown ? <Trans context="taken down">Put back</Trans> : <Trans>Approve</Trans>}
      </Button>
      {state === "waiting" && <WithReason link={link} action="refuse" />}
    </Group>
  );
}

/** Asks for a reason, which the owner of the link sees. */
function WithReason({ link, action }: { link: Link; action: "refuse" | "take_down" }) {
  const { t } = useLingui();
  const [reason, setReason] = useState<string | null>(null);
  const decide = useReview(link);
  const label = action === "refuse" ? t`Refuse` : t`Take down`;
  if (reason === null) {
    return (
      <Button variant="subtle" color="red" size="compact-sm" onClick={() => setReason("")}>
        {label}
      </Button>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        decide.mutate({ action, reason }, { onSuccess: () => setReason(null) });
      }}
    >
      {action === "take_down" && (
        <Text size="xs" c="dimmed" mb={4}>
          <Trans>Closes the link for visitors until an administrator puts it back. Nothing is deleted.</Trans>
        </Text>
      )}
      <Group gap="xs" align="end">
        <TextInput
          size="xs"
          label={t`Reason, for the owner of the link`}
          value={reason}
          maxLength={MOST_REASON}
          autoFocus
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Button type="submit" color="red" size="xs" loading={decide.isPending}>
          {label}
        </Button>
        <Button variant="default" size="xs" onClick={() => setReason(null)}>
          <Trans>Cancel</Trans>
        </Button>
      </Group>
    </form>
  );
}

/** For administrators, unless the link is taken down already. */
export function TakeDown({ link }: { link: Link }) {
  const isAdmin = useIsAdmin();
  return isAdmin && link.held?.state !== "taken_down" ? <WithReason link={link} action="take_down" /> : null;
}

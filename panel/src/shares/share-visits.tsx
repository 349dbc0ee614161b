import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Share } from "../base/api.ts";
import { formatTime } from "../base/i18n.ts";
import { useSentence } from "../ui/failure.tsx";
import { LoadOn } from "../ui/long/load-on.tsx";
import { visitsQuery } from "./share-queries.ts";
import classes from "./shares.module.css";

/** What verified recipients opened and downloaded. */
export function ShareVisits({ share }: { share: Share }) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const query = useInfiniteQuery(visitsQuery(share));
  const { data, error } = query;
  if (error !== null && data === undefined) {
    return (
      <Alert color="red" role="alert">
        {sentenceOf(error)}
      </Alert>
    );
  }
  if (data === undefined) return <Skeleton height={120} />;
  const visits = data.pages.flatMap((page) => page.data);
  const actions = { open: t`Opened`, download: t`Downloaded`, archive: t`Downloaded` };
  if (visits.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        <Trans>No recipient has opened it yet.</Trans>
      </Text>
    );
  }
  return (
    <div>
      <ul className={classes["received"]}>
        {visits.map(({ email, action, name, at }, nth) => (
          <li key={visits.length - nth}>
            <Text size="sm" fw={600}>
              <bdi>{email}</bdi>
            </Text>
            <Text size="xs" c="dimmed">
              {actions[action]} · <bdi>{name}</bdi> · {formatTime(at)}
            </Text>
          </li>
        ))}
      </ul>
      <LoadOn list={query} />
    </div>
  );
}

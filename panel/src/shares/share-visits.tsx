import { Trans, useLingui } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { formatTime } from "../base/i18n.ts";
import { LoadOn } from "../ui/long/load-on.tsx";
import { LoadedRows } from "../ui/long/loaded-rows.tsx";
import { visitsQuery } from "./share-queries.ts";
import classes from "./shares.module.css";

/** What verified recipients opened and downloaded. */
export function ShareVisits({ code }: { code: string }) {
  const { t } = useLingui();
  const query = useInfiniteQuery(visitsQuery(code));
  const actions = { open: t`Opened`, download: t`Downloaded`, archive: t`Downloaded` };
  return (
    <LoadedRows
      rows={query.data?.pages.flatMap((page) => page.data)}
      error={query.error}
      none={<Trans>No recipient has opened it yet.</Trans>}
    >
      {(visits) => (
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
      )}
    </LoadedRows>
  );
}

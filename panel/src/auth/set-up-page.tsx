import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Skeleton, Stack } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { responseOf, api, ApiError } from "../base/api.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { Entrance } from "./entrance.tsx";
import { Refusal } from "./refusal.tsx";
import { SetUpForm } from "./set-up-form.tsx";
import { setUpQuery } from "./set-up.ts";

/** The secret is after the # of the address, so no log of a server has it. */
const checkQuery = (secret: string) =>
  queryOptions({
    queryKey: ["set-up", "check"],
    queryFn: async ({ signal }) =>
      (await responseOf(api.POST("/panel/v1/set-up/check", { body: { secret }, signal }))).data,
    // Each check counts as a try.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

const isGone = (error: Error): boolean => error instanceof ApiError && error.status === 404;

export function SetUpPage() {
  const { t } = useLingui();
  const secret = useLocation({ select: ({ hash }) => hash });
  const { data: isSetUp } = useQuery({ ...setUpQuery, refetchInterval: false });
  const { data: settings, error, refetch } = useQuery({ ...checkQuery(secret), enabled: !isSetUp });
  if (isSetUp) {
    return (
      <Entrance sentence={<Trans>A password is set already.</Trans>}>
        <AnchorLink to="/sign-in">
          <Trans>Sign in</Trans>
        </AnchorLink>
      </Entrance>
    );
  }
  return (
    <Entrance
      title={t`Set up Waymark`}
      wide
      sentence={
        error === null && (
          <Trans>Choose a password, what to record of clicks, and whether links ask for theirs.</Trans>
        )
      }
    >
      {settings !== undefined && <SetUpForm secret={secret} settings={settings} />}
      {settings === undefined && error === null && <Skeleton height={468} />}
      {error !== null && settings === undefined && (
        <Stack gap="md" align="start">
          <Refusal error={error} />
          {!isGone(error) && (
            <Button variant="default" onClick={() => void refetch()}>
              <Trans>Try again</Trans>
            </Button>
          )}
        </Stack>
      )}
    </Entrance>
  );
}

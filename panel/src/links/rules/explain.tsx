import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { responseOf, api, type Explanation, type Link } from "../../base/api.ts";
import { useSentence } from "../../ui/failure.tsx";
import { useConditionTexts } from "../form/condition-texts.ts";

type Asked = {
  /** What follows the code. */
  path: string;
  user_agent: string;
  language: string;
  country: string;
  address: string;
  referrer: string;
  query: string;
  at: string;
};

const NOTHING = { path: "", country: "", address: "", referrer: "", query: "", at: "" };

/** Where the saved link would lead somebody, and why. */
export function Explain({ link }: { link: Link }) {
  const { t } = useLingui();
  const texts = useConditionTexts();
  const sentenceOf = useSentence();
  const [asked, setAsked] = useState<Asked>(() => ({
    ...NOTHING,
    user_agent: navigator.userAgent,
    language: navigator.languages.join(","),
  }));
  const ask = useMutation({
    async mutationFn() {
      const { path, ...visitor } = asked;
      const given = Object.fromEntries(
        Object.entries({ ...visitor, domain: link.domain ?? "" }).filter(([, value]) => value.trim() !== ""),
      );
      const params = { path: { code: link.code + path.trim() }, query: given };
      return (await responseOf(api.GET("/admin/v1/links/{code}/explain", { params }))).data;
    },
  });
  const labels: Record<keyof Asked, string> = {
    path: t`After the code`,
    user_agent: "User-Agent",
    language: texts.language,
    country: texts.country,
    address: texts.address,
    referrer: texts.referrer,
    query: texts.query,
    at: t`Time`,
  };
  return (
    <Paper withBorder p="sm" component="section" aria-label={t`Where does it lead?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate();
        }}
      >
        <Stack gap="xs">
          <Text size="sm" fw={500}>
            <Trans>Where does it lead?</Trans>
          </Text>
          <Text size="xs" c="dimmed">
            <Trans>Asks the saved link as such a visitor. No click is counted.</Trans>
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
            {(Object.keys(labels) as (keyof Asked)[]).map((name) => (
              <TextInput
                key={name}
                size="xs"
                label={labels[name]}
                value={asked[name]}
                onChange={(event) => setAsked({ ...asked, [name]: event.currentTarget.value })}
              />
            ))}
          </SimpleGrid>
          <Button
            type="submit"
            variant="default"
            size="xs"
            loading={ask.isPending}
            style={{ alignSelf: "start" }}
          >
            <Trans>Ask</Trans>
          </Button>
          <div role="status">
            {ask.error !== null && (
              <Text size="sm" c="red">
                {sentenceOf(ask.error)}
              </Text>
            )}
            {ask.data && <Answer explanation={ask.data} />}
          </div>
        </Stack>
      </form>
    </Paper>
  );
}

function Answer({
  explanation: { code, found_by: by, target, status, steps },
}: {
  explanation: Explanation;
}) {
  const { t } = useLingui();
  const texts = useConditionTexts();
  const labelOf = (number: number): string => t`Rule ${number}`;
  const foundBy: Record<Explanation["found_by"], string | null> = {
    code: null,
    case: t`The code is found in another case.`,
    path: t`The link ${code} passes the path on.`,
    tail: t`What is left behind the code ${code} is forgiven.`,
  };
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
        {status} → {target ?? t`nowhere`}
      </Text>
      {foundBy[by] !== null && <Text size="sm">{foundBy[by]}</Text>}
      {steps.map(({ rule, holds, because }) => (
        <Text key={rule} size="sm" {...(!holds && { c: "dimmed" })} style={{ overflowWrap: "anywhere" }}>
          {holds ? "✓" : "✗"} {labelOf(rule + 1)}
          {because.map(({ condition, holds: fits, actual }) => (
            <span key={condition}>
              {" · "}
              {texts[condition]} {fits ? "✓" : "✗"} {actual ?? t`not known`}
            </span>
          ))}
        </Text>
      ))}
    </Stack>
  );
}

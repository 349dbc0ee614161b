import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Card, Popover, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, responseOf } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import { targetIn } from "../../base/targets.ts";
import { CodeName } from "../../ui/code-name.tsx";
import classes from "../clicks.module.css";
import type { Frame } from "../frame.ts";
import { missingQuery } from "../report-queries.ts";

type Missing = { code: string; domain: string | null; human: number; automated: number };

/** Codes that visitors asked for but that have no link, such as misprints. Nothing while there are none. */
export function MissingCodes({ frame: { shown, visitors, filter } }: { frame: Frame }) {
  const { t } = useLingui();
  const { data } = useQuery(missingQuery({ span: shown, visitors, filter }));
  if (data === undefined || data.codes.length === 0) return null;
  const further = data.further === undefined ? 0 : data.further.human + data.further.automated;
  return (
    <Card
      withBorder
      px="md"
      py="sm"
      component="section"
      aria-label={t`Codes that lead nowhere`}
      className={classes["list"]!}
    >
      <Text component="h2" fw={600} size="sm">
        <Trans>Codes that lead nowhere</Trans>
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        <Trans>Visitors asked for these codes, but no link has them.</Trans>
      </Text>
      <ul className={classes["shares"]}>
        {data.codes.map((missing) => (
          <li key={`${missing.domain}/${missing.code}`} className={classes["share"]}>
            <span className={classes["name"]} dir="auto">
              <CodeName code={missing.code} domain={missing.domain} />
            </span>
            <span className={classes["count"]}>
              {formatNumber(
                {
                  human: missing.human,
                  automated: missing.automated,
                  all: missing.human + missing.automated,
                }[visitors],
              )}
            </span>
            <MakeLink missing={missing} />
          </li>
        ))}
      </ul>
      {further > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          <Plural
            value={further}
            one="# request of a code beyond the first 1,000 of a day is not listed."
            other="# requests of codes beyond the first 1,000 of a day are not listed."
          />
        </Text>
      )}
    </Card>
  );
}

function MakeLink({ missing: { code, domain } }: { missing: Missing }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function make(event: FormEvent): Promise<void> {
    event.preventDefault();
    const text = typed.trim();
    const target = targetIn(/^\w+:/.test(text) ? text : `https://${text}`);
    if (target === null) return setProblem(t`Enter a URL such as https://example.com/page.`);
    setIsBusy(true);
    try {
      await responseOf(
        api.POST("/admin/v1/links", { body: { code, target, ...(domain !== null && { domain }) } }),
      );
      setIsOpen(false);
      void queries.invalidateQueries({ queryKey: ["links"] });
      await queries.invalidateQueries({ queryKey: ["clicks", "missing"] });
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <Popover opened={isOpen} onChange={setIsOpen} trapFocus position="bottom-end" width={320} withArrow>
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t`Make a link of ${code}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Trans>Make link</Trans>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={(event) => void make(event)}>
          <Stack gap="xs">
            <TextInput
              label={t`Where ${code} leads`}
              placeholder="https://"
              inputMode="url"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={8192}
              value={typed}
              error={problem}
              onChange={(event) => {
                setTyped(event.currentTarget.value);
                setProblem(null);
              }}
            />
            <Button type="submit" size="sm" loading={isBusy}>
              <Trans>Create link</Trans>
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useRouteContext } from "@tanstack/react-router";
import { useState } from "react";
import { useCopy } from "../../ui/copy/copy-state.ts";
import classes from "../clicks.module.css";
import type { OnReportChange, ReportSearch } from "../range.ts";
import { readViews, removeView, saveView } from "./view-store.ts";

type Props = { search: ReportSearch; onChange: OnReportChange; onClose(): void };

/** The list of named views, and a form for the shown one. */
export function SavedViews({ search, onChange, onClose }: Props) {
  const { t } = useLingui();
  const { account } = useRouteContext({ from: "/inside" });
  const [views, setViews] = useState(() => readViews(account.id));
  const [name, setName] = useState("");
  const { isCopied, copy } = useCopy(location.href);
  return (
    <Stack gap="xs">
      {views.length === 0 ? (
        <Text size="sm" c="dimmed">
          <Trans>Time and filters under a name, to come back to in this browser.</Trans>
        </Text>
      ) : (
        <ul className={classes["shares"]}>
          {views.map((view) => (
            <li key={view.name} className={classes["share"]}>
              <UnstyledButton
                className={`${classes["name"]} ${classes["choice"]}`}
                dir="auto"
                onClick={() => {
                  onClose();
                  onChange(view.search);
                }}
              >
                {view.name}
              </UnstyledButton>
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                className={classes["toLink"]!}
                aria-label={t`Remove the view ${view.name}`}
                onClick={() => setViews(removeView(account.id, view.name))}
              >
                <IconX size={14} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === "") return;
          setViews(saveView(account.id, { name: name.trim(), search }));
          setName("");
        }}
      >
        <Group gap={6} wrap="nowrap">
          <TextInput
            autoFocus
            flex={1}
            size="sm"
            aria-label={t`Name of the view`}
            placeholder={t`Name of the view`}
            value={name}
            maxLength={100}
            onChange={({ currentTarget: { value } }) => setName(value)}
          />
          <Button type="submit" size="sm" variant="default">
            <Trans>Save</Trans>
          </Button>
        </Group>
      </form>
      <Button size="compact-sm" variant="subtle" onClick={copy} style={{ alignSelf: "start" }}>
        {isCopied ? <Trans>Copied</Trans> : <Trans>Copy its address</Trans>}
      </Button>
    </Stack>
  );
}

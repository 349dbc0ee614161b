import { Trans, useLingui } from "@lingui/react/macro";
import { Combobox, Pill, PillsInput, Text, useCombobox, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { responseOf, api } from "../../base/api.ts";
import { CodeName } from "../../ui/code-name.tsx";
import classes from "../clicks.module.css";
import { MOST_COMPARED, comparedKey, comparedPlace } from "./compared-links.ts";

const PAUSE_MS = 200;
const MOST = 8;

const foundQuery = (search: string) =>
  queryOptions({
    queryKey: ["links", "compared", search],
    queryFn: async ({ signal }) => {
      const query = { search, page_size: MOST, domain: "*" };
      return (await responseOf(api.GET("/admin/v1/links", { params: { query }, signal }))).data;
    },
  });

type Props = { keys: readonly string[]; onChange(keys: string[]): void };

/** Chooses the links that are compared. */
export function CompareField({ keys, onChange }: Props) {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const [requested] = useDebouncedValue(text.trim(), PAUSE_MS);
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  const { data: links } = useQuery({ ...foundQuery(requested), enabled: box.dropdownOpened });
  const offered = links?.filter((link) => !keys.includes(comparedKey(link))) ?? [];
  // The code itself, then what contains it.
  const isTyped = ({ code }: (typeof offered)[number]): boolean => code === requested;
  offered.sort((a, b) => Number(isTyped(b)) - Number(isTyped(a)));
  const isFound = links !== undefined && requested !== "" && requested === text.trim();
  // Enter takes the first match.
  useEffect(() => void (isFound && box.selectFirstOption()), [isFound, links]);
  const isFull = keys.length >= MOST_COMPARED;
  return (
    <Combobox
      store={box}
      withinPortal={false}
      onOptionSubmit={(key) => {
        onChange([...keys, key]);
        setText("");
        box.closeDropdown();
      }}
    >
      <Combobox.DropdownTarget>
        <PillsInput size="sm">
          <Pill.Group>
            {keys.map((key) => {
              const { code, domain } = comparedPlace(key);
              return (
                <Pill
                  key={key}
                  withRemoveButton
                  onRemove={() => onChange(keys.filter((other) => other !== key))}
                  removeButtonProps={{ "aria-label": t`Without ${code}`, "aria-hidden": false, tabIndex: 0 }}
                >
                  <CodeName code={code} domain={domain ?? null} />
                </Pill>
              );
            })}
            <Combobox.EventsTarget withExpandedAttribute>
              <PillsInput.Field
                autoFocus={keys.length < 2}
                aria-label={t`Compare with links`}
                placeholder={isFull ? "" : t`Add a link`}
                value={text}
                maxLength={128}
                disabled={isFull}
                onClick={() => box.openDropdown()}
                onBlur={() => box.closeDropdown()}
                onChange={({ currentTarget: { value } }) => {
                  setText(value);
                  box.openDropdown();
                  box.resetSelectedOption();
                }}
                onKeyDown={(event) => {
                  if (event.key === "Backspace" && text === "" && keys.length > 0) {
                    event.preventDefault();
                    onChange(keys.slice(0, -1));
                  }
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={t`Links`}>
          {offered.map((link) => (
            <Combobox.Option key={comparedKey(link)} value={comparedKey(link)} className={classes["name"]!}>
              <CodeName code={link.code} domain={link.domain} />
              {link.title !== null && (
                <Text span size="xs" c="dimmed" dir="auto">
                  <VisuallyHidden>,</VisuallyHidden> {link.title}
                </Text>
              )}
            </Combobox.Option>
          ))}
          {offered.length === 0 && (
            <Combobox.Empty>
              <Trans>No link matches</Trans>
            </Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Combobox, Pill, PillsInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { responseOf, api } from "../base/api.ts";
import classes from "./clicks.module.css";
import { type LinkChoice, MOST_WITH } from "./range.ts";

const PAUSE_MS = 200;
const MOST = 8;

const codesQuery = (search: string, domain: string | undefined) =>
  queryOptions({
    queryKey: ["links", "codes", search, domain],
    queryFn: async ({ signal }) => {
      const query = { search, page_size: MOST, ...(domain !== undefined && { domain }) };
      const { data } = await responseOf(api.GET("/admin/v1/links", { params: { query }, signal }));
      return data.map(({ code }) => code);
    },
  });

/** Chooses links whose clicks are drawn as separate lines. `typed`: text typed before this field was loaded. */
export function CompareField({
  search,
  onChange,
  without,
  domain,
  typed,
}: LinkChoice & { typed: string | null }) {
  const { t } = useLingui();
  const [text, setText] = useState(typed ?? "");
  const [requested] = useDebouncedValue(text.trim(), PAUSE_MS);
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  const { with: chosen = [], ...rest } = search;
  const { data: codes } = useQuery({ ...codesQuery(requested, domain), enabled: box.dropdownOpened });
  const offered = codes?.filter((code) => code !== without && !chosen.includes(code)) ?? [];
  const choose = (list: string[]) => onChange(list.length === 0 ? rest : { ...rest, with: list });
  const isFull = chosen.length >= MOST_WITH;
  return (
    <Combobox
      store={box}
      onOptionSubmit={(code) => {
        choose([...chosen, code]);
        setText("");
        box.closeDropdown();
      }}
    >
      <Combobox.DropdownTarget>
        <PillsInput size="sm" className={classes["compare"]!}>
          <Pill.Group>
            {chosen.map((code) => (
              <Pill
                key={code}
                withRemoveButton
                onRemove={() => choose(chosen.filter((other) => other !== code))}
                removeButtonProps={{ "aria-label": t`Without ${code}`, "aria-hidden": false, tabIndex: 0 }}
              >
                {code}
              </Pill>
            ))}
            <Combobox.EventsTarget>
              <PillsInput.Field
                autoFocus={typed !== null}
                aria-label={t`Compare with links`}
                placeholder={isFull ? "" : t`Compare with a link`}
                value={text}
                maxLength={128}
                disabled={isFull}
                onFocus={() => box.openDropdown()}
                onBlur={() => box.closeDropdown()}
                onChange={({ currentTarget: { value } }) => {
                  setText(value);
                  box.openDropdown();
                  box.updateSelectedOptionIndex();
                }}
                onKeyDown={(event) => {
                  if (event.key === "Backspace" && text === "" && chosen.length > 0) {
                    event.preventDefault();
                    choose(chosen.slice(0, -1));
                  }
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        <Combobox.Options>
          {offered.map((code) => (
            <Combobox.Option key={code} value={code} className={classes["name"]!}>
              {code}
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

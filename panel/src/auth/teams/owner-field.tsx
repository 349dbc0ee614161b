import { Trans, useLingui } from "@lingui/react/macro";
import { Autocomplete, type AutocompleteProps, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { usePersonName } from "../../ui/person-name.tsx";
import { MOST_OWNERS, useOwners } from "./owners.ts";
import { suggestionsQuery } from "./team-queries.ts";
import { teamOf } from "../../ui/tree-names.ts";

const TYPING_MS = 200;

type FieldProps = Omit<AutocompleteProps, "data" | "filter" | "renderOption" | "limit" | "value"> & {
  value: string;
};

function useSuggestions(typed: string) {
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  const { data: people = [], isFetching } = useQuery(suggestionsQuery(search));
  const called = people.find(({ username }) => username === typed)?.display_name;
  const isFound = search !== "" && search === typed.trim() && !isFetching;
  const props = {
    ...TYPED,
    // Enter takes the first one.
    selectFirstOptionOnChange: isFound,
    renderOption: ({ option }: { option: { value: string } }) => <OwnerOption name={option.value} />,
    ...(called && {
      rightSection: (
        <Text size="xs" c="dimmed" truncate dir="auto" w="100%" ta="end" pe="sm">
          {called}
        </Text>
      ),
      rightSectionWidth: "45%",
      rightSectionPointerEvents: "none" as const,
    }),
  };
  return { people, props };
}

/** Suggests accounts by username and display name. */
export function AccountField({ value, ...props }: FieldProps) {
  const { t } = useLingui();
  const { people, props: suggested } = useSuggestions(value);
  return (
    <Autocomplete
      {...suggested}
      aria-label={t`Account`}
      placeholder={t`Name`}
      maxLength={64}
      {...props}
      value={value}
      data={people.map(({ username }) => username)}
      // The server has searched.
      filter={({ options }) => options}
    />
  );
}

/**
 * An account, or a team as `team:name`. Suggests those to whom the account may give things, by name.
 * @param props.except who is not suggested
 */
export function OwnerField({ value, except, ...props }: FieldProps & { except?: string }) {
  const owners = useOwners("change").filter((name) => name !== except);
  const { people, props: suggested } = useSuggestions(value);
  const found = new Set(people.map(({ username }) => username).filter((name) => name !== except));
  return (
    <Autocomplete
      {...suggested}
      maxLength={100}
      placeholder={owners[0]}
      {...props}
      value={value}
      data={[...new Set([...owners, ...found])]}
      limit={MOST_OWNERS}
      filter={({ options, search, limit }) => {
        const typed = search.trim().toLowerCase();
        return options
          .filter((option) => "value" in option)
          .filter(({ value: name }) => found.has(name) || name.includes(typed))
          .toSorted((a, b) => Number(b.value === typed) - Number(a.value === typed))
          .slice(0, limit);
      }}
    />
  );
}

const TYPED = { autoCapitalize: "none", autoComplete: "off", spellCheck: false } as const;

/** What an account is called, and its username; a team and that it is one. */
export function OwnerOption({ name }: { name: string }) {
  const shown = usePersonName(name);
  const team = teamOf(name);
  return (
    <div>
      <Text size="sm">
        <bdi>{team ?? shown}</bdi>
      </Text>
      {(team !== undefined || shown !== name) && (
        <Text size="xs" c="dimmed">
          {team === undefined ? name : <Trans>Team</Trans>}
        </Text>
      )}
    </div>
  );
}

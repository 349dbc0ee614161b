import { Trans } from "@lingui/react/macro";
import { Loader, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FieldRoom } from "../../ui/forms/field-room.tsx";
import { availabilityQuery } from "../link-queries.ts";
import { useCodeRefusals } from "../../ui/forms/code-refusals.ts";

const DELAY_MS = 150;

type Place = { code: string; domain: string };

/** Whether a link can have a code, while one types. `now`: the link's present code. */
export function useAvailability({ code, domain }: Place, now: Place | null) {
  const [requested] = useDebouncedValue(code.trim(), DELAY_MS);
  const isNew = requested !== "" && (requested !== now?.code || domain !== now.domain);
  const { data, isFetching } = useQuery({ ...availabilityQuery(requested, domain), enabled: isNew });
  const isCurrent = isNew && requested === code.trim();
  return {
    isAsking: code.trim() !== "" && (requested !== code.trim() || (isNew && isFetching)),
    isFree: isCurrent && data?.available === true,
    refusal: isCurrent && data?.available === false ? (data.reason ?? "taken") : null,
  };
}

type Props = {
  label: string;
  description: ReactNode;
  value: string;
  onChange(code: string): void;
  error: ReactNode;
  availability: ReturnType<typeof useAvailability>;
};

export function CodeField({ label, description, value, onChange, error, availability }: Props) {
  const reasons = useCodeRefusals();
  const { isAsking, isFree, refusal } = availability;
  const said = error || (refusal === null ? false : reasons[refusal]);
  return (
    <div>
      <TextInput
        label={label}
        description={description}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={said}
        rightSection={
          isAsking ? (
            <Loader size={14} aria-hidden />
          ) : (
            isFree && <IconCheck size={16} color="var(--mantine-color-teal-text)" aria-hidden />
          )
        }
        autoCapitalize="none"
        spellCheck={false}
        maxLength={128}
      />
      <FieldRoom isTaken={said !== false}>{isFree && <Trans>This code is available.</Trans>}</FieldRoom>
    </div>
  );
}

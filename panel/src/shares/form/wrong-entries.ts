/** What is missing in the form, and which entry of a field that holds several is wrong. */
import { useLingui } from "@lingui/react/macro";
import type { ApiError } from "../../base/api.ts";
import { wordsIn } from "../../base/targets.ts";
import { chosenItems, recipientsIn, type ShareValues, typedRecipients } from "./share-values.ts";

/** The server knows addresses better. */
const EMAIL = /^[^@]+@[^@]+\.[^@.]+$/;

type Wrong = { item?: string; recipients?: string; types?: string };

type Choice = {
  isNew: boolean;
  /** Nothing is uploaded. */
  isEmpty: boolean;
};

export function useWrongEntries() {
  const { t } = useLingui();
  const noAddress = (wrong: string): string => t`“${wrong}” is no e-mail address.`;
  const noType = (wrong: string): string =>
    t`“${wrong}” is neither an extension such as pdf nor a kind such as image/*.`;
  return {
    /** Before anything is sent. */
    typed(values: ShareValues, { isNew, isEmpty }: Choice): Wrong {
      const { use } = values;
      if (use === "url") return {};
      const kind = use === "file" ? "file" : "folder";
      // The items of a share that changes its use are no choice.
      const chosen = chosenItems(isNew ? values : { ...values, items: null });
      // A new drop box without a folder gets one.
      const makesFolder = isNew && use === "drop";
      const fits = chosen.length > 0 && chosen.every((one) => one.kind === kind);
      const isChosen = use === "items" || makesFolder || (fits && (use !== "upload" || !isEmpty));
      if (!isChosen) {
        const missing = { upload: t`Choose files.`, file: t`Choose a file.`, folder: t`Choose a folder.` };
        return { item: missing[use === "drop" ? "folder" : use] };
      }
      const wrong = typedRecipients(values).find((email) => !EMAIL.test(email));
      return wrong === undefined ? {} : { recipients: noAddress(wrong) };
    },
    refused(error: ApiError, values: ShareValues): Wrong {
      const email = recipientsIn(values)[entryAt(error, "recipients")];
      const type = wordsIn(values.types)[entryAt(error, "types")];
      return {
        ...(email !== undefined && { recipients: noAddress(email) }),
        ...(type !== undefined && { types: noType(type) }),
      };
    },
  };
}

/** Which entry of the list the server refuses; -1: none. */
function entryAt(error: ApiError, list: string): number {
  const places = error.details.map(({ field }) => field.split("."));
  return Number(places.find(([name, nth]) => name === list && nth !== undefined)?.[1] ?? -1);
}

/** Whether the fields say all that is wrong. */
export const isSaidInLists = ({ details }: ApiError): boolean =>
  details.length > 0 && details.every(({ field }) => /^(?:recipients|types)\.\d+$/.test(field));

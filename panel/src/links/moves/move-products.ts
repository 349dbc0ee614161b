import { useLingui } from "@lingui/react/macro";

export type MovedProduct = {
  title: string;
  /** How to get the file. Null: it has none. */
  file: string | null;
  /** An example of its address, and where its key is. Null: it has none. */
  address: { example: string; key: string } | null;
  /** What moves it instead, on its machine. */
  command?: string;
};

/** The products that links are moved from, in the order of the choice. */
export function useProducts(): Readonly<Record<string, MovedProduct>> {
  const { t } = useLingui();
  return {
    yourls: {
      title: "YOURLS",
      file: t`An SQL export of its tables, made by phpMyAdmin or mysqldump (.sql).`,
      address: null,
    },
    kutt: { title: "Kutt", file: t`Its SQLite database (.sqlite).`, address: null },
    shlink: {
      title: "Shlink",
      file: t`Instead of the address: the CSV file that its web client exports. It has no visits, dates of validity, limits and rules.`,
      address: {
        example: "https://s.example.com",
        key: t`An API key; Shlink's command api-key:generate makes one.`,
      },
    },
    sink: {
      title: "Sink",
      file: null,
      address: { example: "https://sink.example.com", key: t`The site token.` },
    },
    dub: {
      title: "Dub",
      file: null,
      address: { example: "https://api.dub.co", key: t`An API key that may read links.` },
    },
    bitly: {
      title: "Bitly",
      file: null,
      address: { example: "https://api-ssl.bitly.com/v4/groups/GUID", key: t`An access token.` },
    },
    pingvin: {
      title: "Pingvin Share",
      file: null,
      address: null,
      command: "waymark import pingvin FOLDER --dry-run",
    },
    csv: {
      title: t`CSV file`,
      file: t`A table with a header, as most services export. Its columns are matched in the next step.`,
      address: null,
    },
    successor: {
      title: t`Clicks of a successor`,
      file: t`The file that the command successor clicks wrote.`,
      address: null,
    },
  };
}

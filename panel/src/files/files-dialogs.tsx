import { useLingui } from "@lingui/react/macro";
import { ownerOfTree } from "../ui/tree-names.ts";
import { lazyOrFailure, lazyPart } from "../base/lazy.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { SideForm } from "../ui/forms/side-form.tsx";
import { createFolder, type Entry } from "./file-queries.ts";
import { MoveDialog } from "./moves/move-dialog.tsx";

const FolderStorageForm = lazyOrFailure(
  async () => (await import("./policies/folder-storage.tsx")).FolderStorageForm,
);
const GiveDialog = lazyPart(async () => (await import("./moves/give-dialog.tsx")).GiveDialog);
const NameForm = lazyOrFailure(async () => (await import("./name-form.tsx")).NameForm);

/** The form that is open, and what it is about. */
export type FilesForm = {
  form: "folder" | "move" | "copy" | "store" | "give";
  entries: readonly Entry[];
};

type Props = {
  opened: FilesForm | null;
  /** The shown one, in which new ones are made. */
  folder: number | null;
  team: string | undefined;
  onMove(entries: readonly Entry[], folder: number | null, name: string): void;
  onCopy(entries: readonly Entry[], folder: number | null, name: string): void;
  /** @param folder of the new owner; default: the root */
  onGive(entries: readonly Entry[], owner: string, folder?: number | null): void;
  onClose(): void;
};

export function FilesDialogs({ opened, folder, team, onMove, onCopy, onGive, onClose }: Props) {
  const { t } = useLingui();
  const entriesFor = (form: FilesForm["form"]) => (opened?.form === form ? opened.entries : []);
  const [stored] = entriesFor("store");
  const [given] = entriesFor("give");
  return (
    <>
      <MoveDialog
        entries={opened?.form === "copy" ? opened.entries : entriesFor("move")}
        isCopy={opened?.form === "copy"}
        team={team}
        onChoose={opened?.form === "copy" ? onCopy : onMove}
        onGive={onGive}
        onClose={onClose}
      />
      <LazyDialog isOpen={given !== undefined} onClose={onClose}>
        {given !== undefined && <GiveDialog entry={given} team={team} onGive={onGive} onClose={onClose} />}
      </LazyDialog>
      <SideForm title={t`New folder`} isOpen={opened?.form === "folder"} onClose={onClose}>
        <NameForm
          draft={`new folder in ${folder ?? (team === undefined ? 0 : ownerOfTree(team))}`}
          action={t`Create`}
          onSave={(name) => createFolder(name, folder, team)}
          onClose={onClose}
        />
      </SideForm>
      <SideForm
        title={stored === undefined ? "" : t`Storage of ${stored.name}`}
        isOpen={stored !== undefined}
        onClose={onClose}
      >
        {stored !== undefined && <FolderStorageForm folder={stored} onClose={onClose} />}
      </SideForm>
    </>
  );
}

/** The page of a drop box for one visitor, and the part of a shared folder's page that takes files. */
import type { VisitorPages } from "../../visitors/look.ts";
import { messagePage } from "../../visitors/messages.ts";
import { pageResponse } from "../../visitors/page.ts";
import type { Uploads } from "../uploads/service.ts";
import { addingParts, type DropNote, dropPage, type DropView } from "./drop-page.ts";
import type { OpenDrop } from "./drop.ts";
import { mostIn } from "./gate.ts";
import type { Senders } from "./sender.ts";
import type { Drops } from "./service.ts";

export type DropShowDeps = {
  drops: Drops;
  uploads: Pick<Uploads, "destination">;
  senders: Senders;
  pages: VisitorPages;
};

export function createDropShow({ drops, uploads, senders, pages }: DropShowDeps) {
  async function viewOf(box: OpenDrop, request: Request, note: DropNote | null) {
    const { policy } = await uploads.destination(box.accountId, box.folderId);
    const { id, cookie } = senders.of(box, request);
    const sent = cookie === null ? await drops.sentBy(box.linkId, id) : [];
    const view: DropView = {
      box,
      most: mostIn(box, policy),
      sent,
      note,
      remembers: senders.remembers(request),
    };
    return { view, headers: cookie === null ? {} : { "Set-Cookie": cookie } };
  }

  function sentNote(request: Request): { note: DropNote | null } {
    const isSent = /[?&]sent=1(?:&|$)/.test(request.url);
    return { note: isSent ? { kind: "right", sentence: pages.look(request).texts.drop.arrived } : null };
  }

  return {
    sentNote,

    async show(
      box: OpenDrop,
      request: Request,
      { status = 200, note = null }: { status?: number; note?: DropNote | null } = {},
    ): Promise<Response> {
      const look = pages.look(request);
      if (box.isTwoWay) {
        const { title, arrived } = look.texts.drop;
        return pageResponse(
          messagePage(look, { title, sentence: note?.sentence ?? arrived }),
          status,
          request,
        );
      }
      const { view, headers } = await viewOf(box, request, note);
      return pageResponse(dropPage(look, view), status, request, headers);
    },

    /** For the page of a folder with two ways. Null if it has ended. */
    async form(linkId: number, request: Request) {
      const box = await drops.find(linkId);
      if (box === null) return null;
      const { view, headers } = await viewOf(box, request, sentNote(request).note);
      return { ...addingParts(pages.look(request), view), headers };
    },
  };
}

// The guest as its page and the dialogs on it receive it.
import type { GuestQuery } from "../../generated/documents.js";

export type ShownGuest = GuestQuery["guest"];

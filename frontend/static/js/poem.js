// The page of one poem, to be answered or, later, to have its answers changed.

import { answering } from "./answering.js";
import { changing } from "./changing.js";
import { browserStorage } from "./copy.js";
import { recover } from "./journal.js";

const form = document.getElementById("answers");
await recover(browserStorage("localStorage"));
if ("changing" in form.dataset) changing(form);
else answering(form);

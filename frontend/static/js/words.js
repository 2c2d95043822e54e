// What the page says about its draft and its submission: quiet while all is well.

import { gettext, interpolate } from "./language.js";

/** Return {text, loud} for a turn that a draft or a submission told of. */
export function words(turn, savedAt, language = globalThis.document?.documentElement.lang || "en") {
  if (turn === "saved") return { text: saved(savedAt, language), loud: false };
  if (turn === "ready") return { text: gettext("Your answers are saved as you go."), loud: false };
  if (turn === "sending") return { text: gettext("Submitting your answers."), loud: false };
  if (turn === "editing")
    return { text: gettext("Your changes count once you save them."), loud: false };
  return { text: warning(turn), loud: true };
}

function saved(savedAt, language) {
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const time = new Intl.DateTimeFormat(language, clock).format(new Date(savedAt));
  return interpolate(gettext("Saved %(time)s"), { time });
}

function warning(turn) {
  const sayings = {
    unsaved: () =>
      gettext("Not saved: no connection. Your answers are kept in this browser; it keeps trying."),
    newer: () => gettext("Not saved: choose which answers to keep."),
    answered: () =>
      gettext(
        "This poem has been submitted, perhaps in another tab. What you wrote here since is kept in this browser; to use it, open your answers from your desk.",
      ),
    ahead: () =>
      gettext(
        "You have gone on from these questions, perhaps in another tab. Reload the page to see where you are.",
      ),
    stale: () =>
      gettext(
        "Not saved: this link no longer opens this poem. Your answers are kept in this browser: open the newest link you were sent, here, and they are saved.",
      ),
    refused: () =>
      gettext("Not saved. Your answers are kept in this browser; reload the page to try again."),
    waiting: () =>
      gettext(
        "Not submitted: no connection. Your answers are kept here. Press the button again, or leave the page open: they are sent as soon as the line is back.",
      ),
    unchosen: () =>
      gettext(
        "Not submitted: newer answers were saved in another tab or on another device. Choose which to keep, then press the button again.",
      ),
    withdrawn: () =>
      gettext("Not submitted: you have changed an answer since. Press the button again when you are done."),
    unsubmitted: () =>
      gettext("Not submitted. Your answers are kept in this browser; reload the page to try again."),
    shut: () =>
      gettext(
        "Not submitted: this link no longer opens this poem. Your answers are kept in this browser: open the newest link you were sent, here, and submit them.",
      ),
    problems: () => gettext("Not submitted yet: some questions need another look."),
    offline: () =>
      gettext(
        "Not saved: no connection. Your changes are kept in this browser; press the button again once the line is back.",
      ),
    restored: () => gettext("The changes you had not saved are here again; save them to let them count."),
  };
  return sayings[turn]();
}

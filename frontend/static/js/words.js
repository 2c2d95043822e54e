// What the page says about its draft: quiet while all is well.

const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Return {text, loud} for a turn that a draft told of. */
export function words(turn, savedAt) {
  switch (turn) {
    case "saved":
      return { text: `Saved ${time.format(new Date(savedAt))}`, loud: false };
    case "unsaved":
      return {
        text: "Not saved: no connection. Your answers are kept in this browser; it keeps trying.",
        loud: true,
      };
    case "newer":
      return { text: "Not saved: choose which answers to keep.", loud: true };
    case "answered":
      return { text: "This poem has been submitted, perhaps in another tab.", loud: true };
    case "refused":
      return {
        text: "Not saved. Your answers are kept in this browser; reload the page to try again.",
        loud: true,
      };
    default:
      return { text: "Your answers are saved as you go.", loud: false };
  }
}

// The builder of studies: what the choices come to, counted by the server as they change.

const WAIT = 600; // milliseconds without another change

/** Return a function that calls `act` once no call has come for `wait` milliseconds. */
export function calm(act, wait, clock = globalThis) {
  let timer;
  return () => {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(act, wait);
  };
}

/** Return what to write beside each count, the problem or what is lacking, and how exact it will be. */
export function written(answer, names) {
  const known = !("problem" in answer);
  return {
    counts: Object.fromEntries(names.map((name) => [name, known ? String(answer[name]) : "–"])),
    problem: known ? (answer.note ?? "") : answer.problem,
    precision: answer.precision ?? "",
  };
}

function bind(form) {
  const places = [...form.querySelectorAll("[data-count]")];
  const problem = form.querySelector("[data-problem]");
  const precision = form.querySelector("[data-precision]");
  const names = places.map((place) => place.dataset.count);
  let asked = 0;

  function show(answer) {
    const said = written(answer, names);
    for (const place of places) place.textContent = said.counts[place.dataset.count];
    problem.textContent = said.problem;
    const fresh = new DOMParser().parseFromString(said.precision, "text/html");
    precision.replaceChildren(...fresh.body.childNodes);
  }

  async function count() {
    const mine = ++asked;
    try {
      const answer = await fetch(form.dataset.counts, { method: "POST", body: new FormData(form) });
      if (mine === asked && answer.ok) show(await answer.json());
    } catch {
      // Offline: the button asks again.
    }
  }

  form.addEventListener("change", calm(count, WAIT));
  form.addEventListener("input", calm(count, WAIT));
  const button = form.querySelector("button[name=count]");
  button.addEventListener("click", (event) => {
    event.preventDefault();
    count();
  });
}

if (globalThis.document) {
  const form = document.querySelector("form[data-counts]");
  if (form) bind(form);
}

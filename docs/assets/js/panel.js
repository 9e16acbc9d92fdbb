// The panel of the first screen: the model one picks and one's own speed, both kept in the address.

/** What a typed speed means against a ceiling: empty, error, result or above, and its share. */
export const reading = (text, ceiling) => {
  const typed = text.trim().replace(",", ".");
  if (typed === "") return { state: "empty" };
  const speed = Number(typed);
  if (!(speed > 0) || !Number.isFinite(speed)) return { state: "error" };
  return { state: speed > ceiling ? "above" : "result", share: speed / ceiling };
};

/** A sentence with its numbers filled in. */
export const sentence = (template, { share, ceiling }) =>
  template
    .replace("{share}", `${Math.round(100 * share)}%`)
    .replace("{ceiling}", ceiling.toFixed(1));

const remember = (changes) => {
  const address = new URL(location.href);
  for (const [key, value] of Object.entries(changes)) {
    if (value) address.searchParams.set(key, value);
    else address.searchParams.delete(key);
  }
  history.replaceState(history.state, "", address);
};

const show = (form) => {
  const input = form.elements.speed;
  const ceiling = Number(form.dataset.ceiling);
  const { state, share } = reading(input.value, ceiling);
  form.dataset.state = state;
  input.setAttribute("aria-invalid", state === "error");
  form.querySelector("output").textContent = sentence(form.getAttribute(`data-say-${state}`), { share, ceiling });
};

const startPanel = (panel) => {
  const query = new URLSearchParams(location.search);
  const forms = [...panel.querySelectorAll("form[data-ceiling]")];
  const radios = [...panel.querySelectorAll('input[type="radio"]')];
  for (const radio of radios) {
    if (radio.value === query.get("model")) radio.checked = true;
    radio.addEventListener("change", () => remember({ model: radio.value }));
  }
  for (const form of forms) {
    form.elements.speed.value = query.get("speed") ?? "";
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      const { value } = form.elements.speed;
      for (const other of forms) {
        other.elements.speed.value = value;
        show(other);
      }
      remember({ speed: value.trim() });
    });
    show(form);
  }
};

const start = () => {
  for (const panel of document.querySelectorAll("[data-panel]:not([data-started])")) {
    panel.dataset.started = "";
    startPanel(panel);
  }
};

if (typeof document !== "undefined") {
  if (typeof document$ === "undefined") start();
  else document$.subscribe(start);
}

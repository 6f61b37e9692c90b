// A text field whose parts are coloured in place: tints in a layer behind the text.
import { $, element } from "./dom.js";

/// Longer texts are not coloured: laying them out twice takes time.
const COLOURED = 100_000;

export class Editor {
  constructor(root, changed) {
    this.root = root;
    this.paint = $(".paint", root);
    this.field = $("textarea", root);
    this.field.addEventListener("input", () => {
      this.#clear();
      changed();
    });
    this.#clear();
  }

  get text() {
    return this.field.value;
  }

  set text(text) {
    this.field.value = text;
    this.#clear();
  }

  #clear() {
    const isLong = this.field.value.length > COLOURED;
    this.root.classList.toggle("long", isLong);
    // the layer determines the height, and ignores a line end at its end
    this.paint.textContent = isLong ? "" : `${this.field.value}\u200b`;
  }

  /// Tints ranges of the text, `{ at, class }`, which do not overlap; and marks faults, `{ index, end }`, over them.
  colour(ranges, faults) {
    const { text } = this;
    if (text.length > COLOURED) return;
    const edges = new Set([0, text.length]);
    const spans = [...ranges.filter(({ at }) => at[0] < at[1])].sort((a, b) => a.at[0] - b.at[0]);
    for (const { at } of spans) edges.add(at[0]).add(at[1]);
    for (const { index, end } of faults) edges.add(index).add(end);
    const sorted = [...edges].filter((edge) => edge <= text.length).sort((a, b) => a - b);
    const ends = new Set(faults.filter(({ index, end }) => index === end).map(({ index }) => index));
    const made = document.createDocumentFragment();
    let span = 0;
    for (const [place, edge] of sorted.entries()) {
      if (ends.has(edge)) made.append(element("span", { class: "fault at-end" }));
      const next = sorted[place + 1];
      if (next === undefined) break;
      while (span < spans.length && spans[span].at[1] <= edge) span += 1;
      const tint = span < spans.length && spans[span].at[0] <= edge ? spans[span].class : "";
      const isFault = faults.some(({ index, end }) => index <= edge && next <= end);
      const piece = text.slice(edge, next);
      const classes = [tint, isFault ? "fault" : ""].filter(Boolean).join(" ");
      made.append(classes ? element("span", { class: classes }, piece) : piece);
    }
    made.append("\u200b");
    this.paint.replaceChildren(made);
  }

  /// Selects a range, and brings it into view.
  select([start, end]) {
    this.field.focus();
    this.field.setSelectionRange(start, end);
    $(".fault", this.paint)?.scrollIntoView({ block: "nearest" });
  }
}

/**
 * Renders the content of a terminal as an SVG.
 *
 * Text stays text, each run in its own colour, in a dark theme. Supports only the styles
 * that `tmux capture-pane -e` writes.
 */
import { widthOf } from "../../../../lib/program/chat/render/text-width.ts";

interface Style {
  readonly colour: string | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
}

const plain: Style = { colour: undefined, isBold: false, isDim: false, isItalic: false };
const theme = { back: "#16181d", text: "#d7dae0", dim: "#7f8591", frame: "#2a2e37" };
const colours = ["#3b4048", "#f2777a", "#8fd694", "#e6c07b", "#74a8f5", "#c99bf0", "#63c8d6", "#d7dae0"];
const cell = { width: 8.4, height: 19, size: 14 };
const margin = 18;
const bar = 30;

export function ansiPicture(screen: string, columns: number, title: string): string {
  const rows = screen.replace(/\s+$/, "").split("\n");
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = rows.length * cell.height + margin + bar + margin;
  let style = plain;
  const lines = rows.map((row, i) => {
    let column = 0;
    const runs: string[] = [];
    // oxlint-disable-next-line no-control-regex
    for (const [part, codes] of row.matchAll(/\x1b\[([\d;]*)m|[^\x1b]+/g)) {
      if (codes !== undefined) style = codes.split(";").reduce(changed, style);
      else {
        runs.push(run(part, column, style));
        column += widthOf(part);
      }
    }
    const y = bar + margin + (i + 0.75) * cell.height;
    return `<text y="${y.toFixed(1)}" xml:space="preserve">${runs.join("")}</text>`;
  });
  const lamps = ["#f2777a", "#e6c07b", "#8fd694"].map(
    (fill, i) => `<circle cx="${20 + i * 18}" cy="${bar / 2 + 3}" r="5.5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<rect width="${width}" height="${height}" rx="10" fill="${theme.back}" stroke="${theme.frame}"/>
${lamps.join("")}<text x="${width / 2}" y="${bar / 2 + 8}" text-anchor="middle" font-family="ui-sans-serif,system-ui,sans-serif" font-size="13" fill="${theme.dim}">${escaped(title)}</text>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${cell.size}" fill="${theme.text}">
${lines.join("\n")}
</g>
</svg>
`;
}

function run(text: string, column: number, { colour, isBold, isDim, isItalic }: Style): string {
  if (text.trim() === "") return "";
  const start = text.length - text.trimStart().length;
  const words = text.trim();
  const x = margin + (column + start) * cell.width;
  const fill = isDim && colour === undefined ? theme.dim : colour;
  const attributes = [
    `x="${x.toFixed(1)}" textLength="${(widthOf(words) * cell.width).toFixed(1)}"`,
    fill === undefined ? "" : ` fill="${fill}"`,
    isDim && colour !== undefined ? ' opacity="0.6"' : "",
    isBold ? ' font-weight="700"' : "",
    isItalic ? ' font-style="italic"' : "",
  ];
  return `<tspan ${attributes.join("")}>${escaped(words)}</tspan>`;
}

function changed(style: Style, code: string): Style {
  const number = Number(code);
  if (number === 0) return plain;
  if (number === 1) return { ...style, isBold: true };
  if (number === 2) return { ...style, isDim: true };
  if (number === 3) return { ...style, isItalic: true };
  if (number === 22) return { ...style, isBold: false, isDim: false };
  if (number === 23) return { ...style, isItalic: false };
  if (number === 39) return { ...style, colour: undefined };
  return number >= 30 && number <= 37 ? { ...style, colour: colours[number - 30] } : style;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/**
 * Makes lib/serve/page/icons/icons.json, the PNG icons of the web page as an installed app:
 * `node --import tsx spec/tooling/pictures/page-icons.ts`.
 *
 * A browser draws lib/serve/page/icons/icon.svg in each size. The maskable icon has no round
 * corners and more space around the drawing, because phones cut it to a shape of their own.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launchBrowser } from "../../support/serve/browser.ts";
import { indexedPng } from "./indexed-png.ts";

const iconDirectory = new URL("../../../lib/serve/page/icons/", import.meta.url);
const svg = readFileSync(new URL("icon.svg", iconDirectory), "utf8");
const maskable = svg
  .replace(' rx="14"', "")
  .replace('<g fill="none"', '<g transform="translate(6.4 6.4) scale(0.8)" fill="none"');
const icons = [
  { name: "icon-192.png", sizePx: 192, drawing: svg },
  { name: "icon-512.png", sizePx: 512, drawing: svg },
  { name: "icon-maskable.png", sizePx: 512, drawing: maskable },
];

const browser = await launchBrowser();
const page = await browser.newPage();
const pictures: Record<string, string> = {};
for (const { name, sizePx, drawing } of icons) {
  const source = `data:image/svg+xml,${encodeURIComponent(drawing.replace("<svg", `<svg width="${sizePx}" height="${sizePx}"`))}`;
  const pixels = await page.evaluate<number[]>(`(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(source)};
    await image.decode();
    const canvas = new OffscreenCanvas(${sizePx}, ${sizePx}).getContext("2d");
    canvas.drawImage(image, 0, 0, ${sizePx}, ${sizePx});
    return [...canvas.getImageData(0, 0, ${sizePx}, ${sizePx}).data];
  })()`);
  pictures[name] = indexedPng(Uint8Array.from(pixels), sizePx).toString("base64");
}
await browser.close();
const file = fileURLToPath(new URL("icons.json", iconDirectory));
writeFileSync(file, `${JSON.stringify(pictures, null, 2)}\n`);
process.stderr.write(`icons: ${file}\n`);

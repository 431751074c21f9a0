// The page's script: makes the engine, follows the address, and starts the views. What can be read without it, is there without it.
import "../style/main.css";
import { followLinks } from "./address";
import { takeArchives } from "./archives";
import { readData } from "./data";
import { writtenTexts } from "./numbers";
import { startStudy } from "./study";

const data = readData();
followLinks();
takeArchives();
if (data !== null) {
  startStudy({ ...data, texts: { ...data.texts, ...writtenTexts() } });
}

// Only now does what is pressed do something.
document.documentElement.dataset["ready"] = "";
document.getElementById("replay-panel")?.removeAttribute("hidden");
document.getElementById("unready")?.remove();

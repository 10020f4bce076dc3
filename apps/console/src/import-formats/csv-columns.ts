import type { FieldType } from "@platform-rpc/items/item-content";
import type { Encoding } from "./decode-text.js";
import { cut } from "./fit-content.js";
import { typeOfValue } from "./type-of-value.js";

/** What the cells of a column are, and the type of the fields that they become if the kind of the item defines no such field. */
export const meanings = {
  title: { label: "Title", type: "text" },
  username: { label: "Username", type: "text" },
  password: { label: "Password", type: "secret" },
  website: { label: "Website", type: "url" },
  one_time_code: { label: "One-time code", type: "secret" },
  notes: { label: "Notes", type: "note" },
  email: { label: "Email", type: "email" },
  phone: { label: "Phone", type: "phone" },
  folder: { label: "Folder", type: "text" },
  tags: { label: "Tags", type: "text" },
  favourite: { label: "Favourite", type: "text" },
  archived: { label: "Archived", type: "text" },
  kind: { label: "Kind of item", type: "text" },
  cardholder: { label: "Cardholder", type: "text" },
  number: { label: "Card number", type: "secret" },
  expires: { label: "Card: expires", type: "text" },
  expiry_month: { label: "Card: month of expiry", type: "text" },
  expiry_year: { label: "Card: year of expiry", type: "text" },
  security_code: { label: "Card: security code", type: "secret" },
  pin: { label: "PIN", type: "secret" },
  private_key: { label: "Private key", type: "secret" },
  public_key: { label: "Public key", type: "text" },
  fingerprint: { label: "Fingerprint", type: "text" },
  first_name: { label: "First name", type: "text" },
  last_name: { label: "Last name", type: "text" },
  address: { label: "Address", type: "note" },
  birthday: { label: "Birthday", type: "text" },
  fields: { label: "More fields", type: "secret" },
  text: { label: "Another field", type: "text" },
  secret: { label: "Another field, hidden", type: "secret" },
  none: { label: "Leave out", type: "secret" },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly type: FieldType }>>;

export type Meaning = keyof typeof meanings;

export function isMeaning(name: string): name is Meaning {
  return Object.hasOwn(meanings, name);
}

/** What the first row of a table is. `unknown`: the person has to say it. Until then, it is read as an item. */
export type FirstRow = "header" | "item" | "unknown";

export interface Columns {
  /** The names of the columns. They never come from a row that may be an item. */
  readonly header: readonly string[];
  readonly meanings: readonly Meaning[];
  /** The first rows, with secrets masked: the preview never needs them. */
  readonly samples: readonly (readonly string[])[];
  readonly firstRow: FirstRow;
  /** Undefined if there is no other encoding to choose. */
  readonly encoding: Encoding | undefined;
}

/**
 * The names of columns that the browsers and the programs write, in lower case and without accents, spaces and signs: English, then German,
 * French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Japanese and Chinese. What is not here is hidden.
 */
const words: Readonly<Partial<Record<Meaning | "account", string>>> = {
  title: `title name item itemname label entry entryname passwordname titel bezeichnung eintrag titre nom intitule libelle titulo nombre titolo nome
    naam tytul nazwa название имя заголовок наименование タイトル 名前 名称 标题 名称 標題 名稱`,
  account: "account konto compte cuenta conto conta アカウント",
  username: `username user login loginname loginusername loginid userid uid loginemail emailusername usernameemail userlogin signinname benutzername benutzer nutzername nutzer
    anmeldename benutzerkennung kennung nomdutilisateur utilisateur identifiant identifiantdeconnexion nomdusager nombredeusuario
    usuario nomeutente utente nomedeusuario nomedoutilizador nomedeutilizador utilizador gebruikersnaam gebruiker inlognaam
    nazwauzytkownika uzytkownik имяпользователя пользователь логин учетнаязапись ユーザー名 ユーザ名 ユーザー ユーザーid ユーザid ログインid ログイン名 ログイン
    用户名 用户 用户名称 账号 帐号 账户 登录名 使用者名稱 使用者 帳號 用戶名`,
  password: `password pass pwd passwd pw psw passcode passwordvalue loginpassword loginpwd masterpassword passwort kennwort motdepasse mdp
    contrasena clave senha palavrapasse parolachiave wachtwoord haslo пароль パスワード 密码 密碼 口令`,
  website: `url urls uri uris website websites site web weburl webaddress websiteaddress webpage siteurl link loginuri loginurl passwordurl additionalurls matchurl
    domain webseite internetadresse webadresse siteweb siteinternet adresseweb sitioweb sitio paginaweb direccionweb sitoweb sito indirizzoweb
    sitedaweb enderecoweb webadres strona stronainternetowa stronawww adresurl adresinternetowy witryna вебсайт сайт ссылка
    urlадрес адресurl адрессайта ウェブサイト webサイト サイト サイトurl 网站 网址 网页 链接 網站 網址 連結`,
  one_time_code: `otpauth logintotp totp otp otpsecret otpurl otpuri totpsecret totpuri totpkey onetimepassword onetimecode twofactor
    twofactorcode twofactorsecret twofactorkey 2fa 2fasecret 2fakey twofakey twofasecret mfa mfasecret authenticator
    authenticatorkey einmalcode einmalpasswort einmalkennwort codeausageunique motdepasseausageunique codigodeunsolouso
    contrasenadeunsolouso codicemonouso passwordmonouso codigodeusounico senhadeusounico eenmaligecode eenmaligwachtwoord
    kodjednorazowy haslojednorazowe одноразовыйкод одноразовыйпароль ワンタイムパスワード 認証コード 一次性密码 一次性密碼 动态密码`,
  notes: `notes note extra comments comment notesplain description memo remarks remark notizen notiz bemerkung bemerkungen kommentar
    kommentare anmerkung anmerkungen beschreibung remarque remarques commentaire commentaires notas nota comentario comentarios
    descripcion commento commenti descrizione anotacoes observacoes descricao notities notitie opmerking opmerkingen beschrijving
    notatki notatka uwagi komentarz opis заметки заметка примечание примечания комментарий комментарии описание メモ 備考 ノート コメント 説明
    备注 備註 注释 说明 笔记`,
  email: `email emailaddress mail mailaddress aliasemail emailadresse mailadresse adresseemail adressemail courriel correo
    correoelectronico postaelettronica indirizzoemail enderecodeemail emailadres adresemail почта электроннаяпочта
    адресэлектроннойпочты メール メールアドレス 邮箱 电子邮件 电子邮箱 電子郵件`,
  phone: `phone phonenumber telephone mobile telefon telefonnummer handy numerodetelephone telefono telefone telefoonnummer телефон 電話番号
    电话 手机`,
  folder: `folder foldername sharedfolder group groupname grouping category vault ordner gruppe kategorie dossier groupe categorie carpeta grupo categoria cartella gruppo
    pasta map groep grupa kategoria папка группа категория フォルダ フォルダー グループ カテゴリ カテゴリー 文件夹 分组 分類 类别 資料夾`,
  tags: `tags tag labels collections schlagworte schlagworter etiquettes etiquetas etichette etykiety теги тег метки タグ 标签 標籤`,
  favourite: `favorite favourite fav favoritestatus starred favorit favori favorito preferito favoriet ulubione избранное お気に入り 收藏`,
  archived: "archived archiveddate archivedstatus",
  kind: "type itemtype typ tipo тип 種類 类型 類型",
  cardholder: `cardholder cardholdername nameoncard ccname cardname accountname karteninhaber titulaire titulairedelacarte titular
    titulardelatarjeta intestatario kaarthouder posiadaczkarty держателькарты владелецкарты カード名義人 カード名義 持卡人`,
  number: `cardnumber ccnumber ccnum creditcardnumber number kartennummer kreditkartennummer numerodecarte numerodetarjeta
    numerodellacarta numerodocartao kaartnummer numerkarty номеркарты カード番号 卡号 卡號`,
  expires: `expires expiry expirydate expirationdate expiration expdate ccexp ccexpiry validuntil validthru ablaufdatum gultigbis
    datedexpiration fechadevencimiento fechadecaducidad datadiscadenza datadevalidade vervaldatum datawaznosci срокдействия 有効期限
    有效期`,
  expiry_month: "expirymonth expirationmonth expmonth ccexpmonth",
  expiry_year: "expiryyear expirationyear expyear ccexpyear",
  security_code: `securitycode cvv cvc cvv2 cvc2 cvvcode csc code cccvc ccv cardcvv verificationnumber cardverificationcode prufnummer
    kartenprufnummer sicherheitscode codedesecurite cryptogramme codigodeseguridad codicedisicurezza codigodeseguranca
    beveiligingscode kodbezpieczenstwa кодбезопасности セキュリティコード 安全码`,
  pin: "pin pincode pinnumber ccpin cardpin",
  private_key: "privatekey sshprivatekey privaterschlussel cleprivee claveprivada",
  public_key: "publickey sshpublickey offentlicherschlussel clepublique clavepublica",
  fingerprint: "fingerprint keyfingerprint",
  first_name: "firstname givenname vorname prenom",
  last_name: `lastname surname familyname nachname familienname apellido apellidos cognome sobrenome achternaam nazwisko фамилия`,
  address: "address adresse direccion indirizzo endereco adres адрес 住所 アドレス 地址",
  birthday: "birthday birthdate dateofbirth geburtsdatum datedenaissance",
  fields: "fields customfields rffieldsv2 rffields files",
  text: `httprealm formactionorigin brand cardtype issuingbank bank bankname country city state zip zipcode host hostname port company
    organization jobtitle fullname middlename cardholderaddress accountholder`,
  none: `guid uuid timecreated timelastused timepasswordchanged reprompt createtime modifytime icon lastmodified created modified
    createdat updatedat`,
};

function plain(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("ł", "l")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

const byWord = new Map<string, Meaning | "account">();
for (const [meaning, list] of Object.entries(words)) {
  if (meaning !== "account" && !isMeaning(meaning)) continue;
  for (const word of list.split(/\s+/)) byWord.set(plain(word), meaning);
}

/** Returns what a name says about a value. Undefined if it is not known. `URL1` and `username2` are known as well. */
function find(name: string): Meaning | "account" | undefined {
  const word = plain(name);
  return byWord.get(word) ?? byWord.get(word.replace(/\d+$/, ""));
}

/** Returns what a header says about the cells of its columns. What is not known is hidden. */
export function meaningsOf(header: readonly string[]): readonly Meaning[] {
  const found = header.map(find);
  // Some programs call the title "Account", and some the username.
  const account = !found.includes("title") ? "title" : found.includes("username") ? "text" : "username";
  return found.map((meaning = "secret") => (meaning === "account" ? account : meaning));
}

export function meaningOf(name: string): Meaning {
  const found = find(name) ?? "secret";
  return found === "account" ? "username" : found;
}

/**
 * Returns whether a row is the header or an item of Enpass: a title, then names and values, and then notes. Hidden values have names such as
 * `*Password`.
 */
export function enpassRow(cells: readonly string[]): FirstRow | undefined {
  const [, name = "", value = ""] = cells;
  if (plain(name) === "field" && plain(value) === "value") return "header";
  const isName = (cell: string, index: number) => index % 2 === 1 && cell.startsWith("*") && find(cell) === "password";
  return cells.some(isName) ? "item" : undefined;
}

const data = /:\/\/|@|-----BEGIN|[\r\n]/;

/** Returns how many cells are known words, and none if one is a value. A password can be `password1`: numbers do not count here. */
function knownIn(cells: readonly string[]): number {
  return cells.some((cell) => data.test(cell)) ? 0 : cells.filter((cell) => byWord.has(plain(cell))).length;
}

function filledIn(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== "").length;
}

/** Returns whether cells look like a header: most of them are known, or three, or a password and another one, and none is a value. */
export function isHeader(cells: readonly string[]): boolean {
  const known = knownIn(cells);
  const isNamed = known >= 2 && cells.some((cell) => byWord.get(plain(cell)) === "password");
  return known >= 3 || isNamed || known * 2 > filledIn(cells);
}

/**
 * Returns what the first row of a table is. An item can have known words, too, such as a folder "Login": then other items have the same word
 * in this column, or values where it has none.
 */
export function firstRowOf(cells: readonly string[], others: readonly (readonly string[])[]): FirstRow {
  const isItem = (cell: string, index: number) => cell !== "" && (cells[index] === cell || cells[index] === "");
  const isLikeOthers = knownIn(cells) < filledIn(cells) && others.some((other) => other.some(isItem));
  return isHeader(cells) && !isLikeOthers ? "header" : "unknown";
}

export function typeOf(meaning: Meaning, text: string): FieldType {
  return typeOfValue(meanings[meaning].type, text);
}

export function sampleOf(cell: string, meaning: Meaning): string {
  if (cell === "") return "";
  return meaning === "notes" || typeOf(meaning, cell) === "secret" ? "••••••••" : cut(cell, 60);
}
